import { expect, it } from 'vitest'
import { NOUNS } from '../../src/cli/command.ts'
import { RESERVED_FAMILIES } from '../../src/manifest/rules/programs.ts'

it('no command family can have the name of a noun of the program or of its alias', () => {
  const words = Object.entries(NOUNS).flatMap(([noun, aliases]) => [noun, ...aliases])
  expect(words.filter((word) => !(RESERVED_FAMILIES as readonly string[]).includes(word))).toEqual([])
})
