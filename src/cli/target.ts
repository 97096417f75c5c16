import type { GsdError } from '../errors.ts'
import { COMMANDS, commandsOf, nounOf, TOP_FLAGS } from './command-table.ts'
import { NOUNS, type Command, type Noun } from './command.ts'
import { COMMON_FLAGS } from './common-flags.ts'
import type { Flags } from './flag.ts'
import { suggest } from './suggest.ts'
import { unknownWord } from './usage.ts'

/** What the words of a line are addressed to. */
export type Target =
  | { readonly kind: 'top' }
  | { readonly kind: 'help' }
  | { readonly kind: 'noun'; readonly noun: Noun }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'mistyped'; readonly error: GsdError }

/** Looks the first two words of a line up in the command table. */
export const targetOf = (words: readonly string[]): Target => {
  const [first, second] = words
  if (first === undefined) return { kind: 'top' }
  if (first === 'help') return { kind: 'help' }
  const noun = nounOf(first)
  if (noun === null) return { kind: 'mistyped', error: mistypedNoun(first) }
  if (second === undefined) return { kind: 'noun', noun }
  const commands = commandsOf(noun)
  const command = commands.find(({ verb }) => verb === second)
  if (command !== undefined) return { kind: 'command', command }
  const verbs = commands.map(({ verb }) => verb)
  return {
    kind: 'mistyped',
    error: unknownWord('USAGE_UNKNOWN_COMMAND', `command of ${noun}:`, second, verbs, (verb) => `gsd ${noun} ${verb}`),
  }
}

/** The flags that may be given to a target. */
export const flagsOf = (target: Target): Flags => {
  if (target.kind === 'command') return { ...target.command.flags, ...COMMON_FLAGS }
  return target.kind === 'top' ? TOP_FLAGS : COMMON_FLAGS
}

/** A first word that is no noun may be a mistyped one, or a verb whose noun was left out. */
const mistypedNoun = (typed: string): GsdError => {
  const whole = new Map<string, string>([
    ['help', 'gsd help'],
    ['version', 'gsd --version'],
  ])
  for (const { noun, verb } of [...COMMANDS].reverse()) whole.set(verb, `gsd ${noun} ${verb}`)
  for (const [noun, aliases] of Object.entries(NOUNS))
    for (const word of [noun, ...aliases]) whole.set(word, `gsd ${word}`)
  const all = [...whole.keys()]
  const known = suggest(typed, all) === null ? ['help', ...Object.keys(NOUNS)] : all
  return unknownWord('USAGE_UNKNOWN_COMMAND', 'command', typed, known, (word) => whole.get(word) ?? word)
}
