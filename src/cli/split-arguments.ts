import { parseArgs } from 'node:util'
import type { Flags } from './flag.ts'

/** A flag as it was typed. */
export interface TypedFlag {
  /** Without dashes and value: `dry-run`, `no-downgrade`, `h`. */
  readonly name: string
  /** The whole argument: `--scope=global`, `-h`. */
  readonly raw: string
  /** Undefined where none was given. */
  readonly value: string | undefined
  /** The value came with `=`. */
  readonly hasInlineValue: boolean
}

/** A command line in its parts, nothing judged. */
export interface SplitArguments {
  /** Arguments before `--`, in order: noun, verb, and what follows. */
  readonly words: readonly string[]
  /** Arguments after `--`. */
  readonly afterTerminator: readonly string[]
  readonly flags: readonly TypedFlag[]
}

/** Takes a command line apart; `known` says which flags take the next argument as their value. */
export const splitArguments = (argv: readonly string[], known: Flags): SplitArguments => {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const end = tokens.find((token) => token.kind === 'option-terminator')?.index ?? argv.length
  const words: string[] = []
  const afterTerminator: string[] = []
  const flags: TypedFlag[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') (token.index < end ? words : afterTerminator).push(token.value)
    if (token.kind === 'option')
      flags.push({
        name: token.name,
        raw: argv[token.index] ?? token.rawName,
        value: token.value,
        hasInlineValue: token.inlineValue === true,
      })
  }
  return { words, afterTerminator, flags }
}

const optionsOf = (known: Flags): Record<string, { type: 'boolean' | 'string'; short?: string }> => ({
  ...Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [
      name,
      { type: flag.kind === 'switch' ? 'boolean' : 'string' } as const,
    ]),
  ),
  help: { type: 'boolean', short: 'h' },
})

/** Whether a line asks for JSON, also where the rest of it is wrong. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((arg) => arg === '--json' || arg.startsWith('--json='))
}
