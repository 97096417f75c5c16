import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { GsdError } from '../errors.ts'
import type { Terminal } from './terminal.ts'
import type { View } from './view/view.ts'

/** First words of a command line that name a family of commands, each with its aliases. */
export const NOUNS = {
  capability: ['cap'],
  loop: [],
  review: [],
  config: [],
  runtime: [],
  skills: [],
  mcp: [],
  check: [],
} as const satisfies Record<string, readonly string[]>

export type Noun = keyof typeof NOUNS

/** The noun of a word or alias. */
export const findNoun = (word: string): Noun | null => {
  const nouns = Object.keys(NOUNS) as Noun[]
  return nouns.find((noun) => noun === word || (NOUNS[noun] as readonly string[]).includes(word)) ?? null
}

/** Whether a word is the verb of a command, or another word for it. */
export const isVerbOf = ({ verb, aliases = [] }: Pick<Command, 'verb' | 'aliases'>, word: string): boolean =>
  verb === word || aliases.includes(word)

/** One positional argument as help shows it. Only the last may be optional or `many`. */
export interface Argument {
  readonly name: string
  readonly summary: string
  readonly optional?: true
  readonly many?: true
  /** The empty text is one, too. */
  readonly blank?: true
}

/** Checked arguments and flags of a command. */
export interface Invocation<F extends Flags = Flags> {
  readonly args: readonly string[]
  readonly flags: FlagValues<F & typeof COMMON_FLAGS>
  readonly terminal: Terminal
}

/** The result of a command; `main.ts` prints it as text or JSON. */
export interface Answer {
  /** The `data` member of the JSON document. */
  readonly data: unknown
  /** The same for a person, with or without a final newline. */
  human(view: View): string
  readonly warnings?: readonly Diagnostic[]
  /** Exit status of an answer that is not an error; default 0. */
  readonly exit?: number
  /** Printed on stdout as it stands, in place of everything else. */
  readonly raw?: string
  /** A report that counts as a failure: `ok` is false, `data` is still given. */
  readonly error?: GsdError
}

/**
 * A row of the command table: words, arguments and flags as data for parsing, help and suggestions. `run` imports what it
 * needs lazily, so that the table loads fast.
 */
export interface Command<F extends Flags = Flags> {
  readonly noun: Noun
  readonly verb: string
  /** Other words that name the same command. */
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly args: readonly Argument[]
  readonly flags: F
  readonly examples: readonly string[]
  /** False for a command that writes nothing, not even to recover interrupted operations (contract, "Precedence"). */
  readonly recovers?: false
  /** For a command that speaks to a program on stdin: where a person is there instead, the help of its noun is printed. */
  readonly helpOnTerminal?: true
  /** Flags that no table has are arguments, dashes included: capabilities declare them. */
  readonly declaredFlags?: true
  run(context: Context, invocation: Invocation<F>): Promise<Answer>
}

/** Infers the types of a command's flags. */
export const defineCommand = <const F extends Flags>(command: Command<F>): Command<F> => command

/** One flag of the table. Names have no dashes. */
export type Flag =
  /** On or off; with `negatable`, `--no-<name>` means off and its absence is a third case. */
  | { readonly kind: 'switch'; readonly summary: string; readonly negatable?: true }
  /** `blank`: an empty value is allowed, since hosts pass variables on that may not be set. */
  | { readonly kind: 'text'; readonly value: string; readonly summary: string; readonly blank?: true }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly summary: string }
  /** Comma-separated, and may be given more than once; `whole`: given once for each, commas and all. */
  | { readonly kind: 'list'; readonly value: string; readonly summary: string; readonly whole?: true }

export type Flags = Readonly<Record<string, Flag>>

type FlagValue<F extends Flag> = F extends { kind: 'switch'; negatable: true }
  ? boolean | undefined
  : F extends { kind: 'switch' }
    ? boolean
    : F extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V | undefined
      : F extends { kind: 'list' }
        ? readonly string[]
        : string | undefined

/** Values of the flags of a table. */
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: FlagValue<F[K]> }

/** Flags of commands that fetch. */
export const FETCH_FLAGS = {
  'allow-http': { kind: 'switch', summary: 'allow plain http, to this machine only' },
  timeout: { kind: 'text', value: '<seconds>', summary: 'how long one download may take; default: 600' },
} as const satisfies Flags

/** Flags that every command takes (contract, "Command line"). */
export const COMMON_FLAGS = {
  scope: { kind: 'choice', values: ['global', 'project'], summary: 'scope to use; short: -g, -p' },
  project: {
    kind: 'text',
    value: '<dir>',
    summary: 'project folder; default: the nearest at or above the working directory',
  },
  json: { kind: 'switch', summary: 'print one JSON document on stdout' },
  yes: { kind: 'switch', summary: 'consent without being asked' },
  'dry-run': { kind: 'switch', summary: 'show what would change, and change nothing' },
  quiet: { kind: 'switch', summary: 'print errors only: no progress, notices or warnings' },
  verbose: { kind: 'switch', summary: 'more detail, including causes of errors' },
  'no-color': { kind: 'switch', summary: 'no colours (also: NO_COLOR in the environment)' },
  offline: { kind: 'switch', summary: 'do not use the network' },
  'host-version': { kind: 'text', value: '<version>', summary: 'GSD version to check capabilities against' },
  'first-party': { kind: 'text', value: '<dir>', summary: 'first-party set to use instead of the built-in one' },
  help: { kind: 'switch', summary: 'show help' },
} as const satisfies Flags
