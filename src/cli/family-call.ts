import { parseArgs } from 'node:util'
import { COMMON_FLAGS, findNoun, type Flags } from './command.ts'

/** Flags that may stand before the name of a family; what stands behind it goes to its router. */
export const FAMILY_FLAGS = {
  ...COMMON_FLAGS,
  timeout: { kind: 'text', value: '<seconds>', summary: 'seconds that the family may take' },
  cwd: { kind: 'text', value: '<dir>', summary: 'folder that the family works in', blank: true },
} as const satisfies Flags

/** A command line whose first word is none of the program's own. */
export interface FamilyCall {
  readonly name: string
  /** What stands before the name: flags of the program. */
  readonly before: readonly string[]
  /** What stands behind it, unchanged. */
  readonly args: readonly string[]
}

const FAMILY = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** Finds the first word of a line; null where it is a word of the program, or where there is none. */
export const findFamilyCall = (argv: readonly string[]): FamilyCall | null => {
  if (isOwnWord(argv[0] ?? '')) return null
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(FAMILY_FLAGS).map(([name, { kind }]) => [
        name,
        { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const word = tokens.find(({ kind }) => kind !== 'option')
  if (word?.kind !== 'positional' || !FAMILY.test(word.value)) return null
  if (isOwnWord(word.value)) return null
  return { name: word.value, before: argv.slice(0, word.index), args: argv.slice(word.index + 1) }
}

const isOwnWord = (word: string): boolean => word === 'help' || findNoun(word) !== null
