import type { GsdError } from '../errors.ts'
import { COMMANDS, commandsOf, findNoun, TOP_FLAGS } from './command-table.ts'
import { type Command, type Noun, NOUNS } from './command.ts'
import type { Flags } from './flag.ts'
import { COMMON_FLAGS } from './flag.ts'
import { suggest, unknownWordError } from './suggest.ts'

/** What the words of a line are addressed to. */
export type CommandTarget =
  | { readonly kind: 'top' }
  | { readonly kind: 'help' }
  | { readonly kind: 'noun'; readonly noun: Noun }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'mistyped'; readonly error: GsdError }

/** Looks the first two words of a line up in the command table. */
export const findTarget = (words: readonly string[]): CommandTarget => {
  const [first, second] = words
  if (first === undefined) return { kind: 'top' }
  if (first === 'help') return { kind: 'help' }
  const noun = findNoun(first)
  if (noun === null) return { kind: 'mistyped', error: mistypedNounError(first) }
  if (second === undefined) return { kind: 'noun', noun }
  const commands = commandsOf(noun)
  const command = commands.find(({ verb, aliases = [] }) => verb === second || aliases.includes(second))
  if (command !== undefined) return { kind: 'command', command }
  const verbs = commands.map(({ verb }) => verb)
  return {
    kind: 'mistyped',
    error: unknownWordError(
      'USAGE_UNKNOWN_COMMAND',
      `command of ${noun}:`,
      second,
      verbs,
      (verb) => `gsd ${noun} ${verb}`,
    ),
  }
}

/** The flags that may be given to a target. */
export const flagsOf = (target: CommandTarget): Flags => {
  if (target.kind === 'command') return { ...target.command.flags, ...COMMON_FLAGS }
  return target.kind === 'top' ? TOP_FLAGS : COMMON_FLAGS
}

/** A first word that is no noun may be a mistyped one, or a verb whose noun was left out. */
const mistypedNounError = (typed: string): GsdError => {
  const whole = new Map<string, string>([
    ['help', 'gsd help'],
    ['version', 'gsd --version'],
  ])
  for (const { noun, verb } of [...COMMANDS].reverse()) whole.set(verb, `gsd ${noun} ${verb}`)
  for (const [noun, aliases] of Object.entries(NOUNS))
    for (const word of [noun, ...aliases]) whole.set(word, `gsd ${word}`)
  const all = [...whole.keys()]
  const known = suggest(typed, all) === null ? ['help', ...Object.keys(NOUNS)] : all
  return unknownWordError('USAGE_UNKNOWN_COMMAND', 'command', typed, known, (word) => whole.get(word) ?? word)
}
