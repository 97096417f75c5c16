import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { GsdError } from '../errors.ts'
import type { COMMON_FLAGS, Flags, FlagValues } from './flag.ts'
import type { Terminal } from './terminal.ts'
import type { View } from './view/view.ts'

/** First words of a command line that name a family of commands, each with its aliases. */
export const NOUNS = { capability: ['cap'], loop: [], config: [], runtime: [], check: [] } as const satisfies Record<
  string,
  readonly string[]
>

export type Noun = keyof typeof NOUNS

/** One positional argument as help shows it. Only the last may be optional or `many`. */
export interface Argument {
  readonly name: string
  readonly summary: string
  readonly optional?: true
  readonly many?: true
}

/** What a command was given, checked against its row of the table. */
export interface Invocation<F extends Flags = Flags> {
  readonly args: readonly string[]
  readonly flags: FlagValues<F & typeof COMMON_FLAGS>
  readonly terminal: Terminal
}

/** What a command answers; `main.ts` prints it once, as text or as JSON. */
export interface Answer {
  /** The `data` member of the JSON document. */
  readonly data: unknown
  /** The same for a person, with or without a final newline. */
  human(view: View): string
  readonly warnings?: readonly Diagnostic[]
  /** Exit status of an answer that is not an error; 0 where absent. */
  readonly exit?: number
  /** Printed on stdout as it stands, in place of everything else. */
  readonly raw?: string
  /** A report that amounts to a refusal: `ok` is false, `data` is given all the same. */
  readonly error?: GsdError
}

/**
 * A row of the command table: words, arguments and flags as data, from which parsing, help and suggestions are made.
 * `run` imports what it needs when it runs, so that the table costs nothing to read.
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
  /** False for a command that writes nothing at all, not even to mend what was interrupted (contract, "Precedence"). */
  readonly recovers?: false
  run(context: Context, invocation: Invocation<F>): Promise<Answer>
}

/** Keeps the types of a command's flags. */
export const defineCommand = <const F extends Flags>(command: Command<F>): Command<F> => command
