import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { referencePages } from '../../scripts/reference-pages.ts'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { CODES } from '../../src/codes.ts'
import { ROOT } from '../helpers/doc-page.ts'

describe('the generated reference', () => {
  it.each(referencePages().map(({ file, text }) => [file, text] as const))(
    'has an up-to-date %s (npm run generate rewrites it)',
    (file, text) => expect(text).toMatchFileSnapshot(join(ROOT, file)),
  )

  it('names every command and flag', () => {
    const text = referencePages()[0]?.text ?? ''
    for (const { noun, verb, flags } of COMMANDS) {
      expect(text).toContain(`\n## gsd ${noun} ${verb}\n`)
      for (const flag of Object.keys(flags)) expect(text).toContain(`--${flag}`)
    }
  })
})

it('every code has a meaning, in one line that is a sentence', () => {
  for (const [code, [, meaning]] of Object.entries(CODES))
    expect(meaning, code).toMatch(/^(?:[A-Z`]|git |npm )[^\n|]{10,118}\.$/)
})
