import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { ALL_FLAGS, commandsOf } from './command-table.ts'
import type { Command, Noun } from './command.ts'
import { isKnown, readFlags, unknownFlag, type Given } from './flag-values.ts'
import { split } from './split.ts'
import { flagsOf, targetOf } from './target.ts'

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'version'; readonly flags: Given }
  | { readonly kind: 'help'; readonly topic: readonly string[]; readonly flags: Given }
  | { readonly kind: 'run'; readonly command: Command; readonly args: readonly string[]; readonly flags: Given }

/**
 * Reads a command line by the command table. Flags may stand anywhere before `--`; all that follows it are arguments.
 * @throws GsdError USAGE_*, with the nearest correct word where one was mistyped; nothing has been done then.
 */
export const parse = (argv: readonly string[]): Request => {
  const line = split(argv, ALL_FLAGS)
  const target = targetOf(line.words)
  const stranger = line.flags.find((flag) => !isKnown(flag, ALL_FLAGS))
  if (stranger !== undefined) throw unknownFlag(stranger, target.kind === 'mistyped' ? ALL_FLAGS : flagsOf(target))
  if (target.kind === 'mistyped') throw target.error
  const flags = readFlags(line.flags, flagsOf(target))
  if (target.kind === 'help') return { kind: 'help', topic: [...line.words.slice(1), ...line.rest], flags }
  if (target.kind === 'top' && line.rest.length > 0) throw extra(line.rest[0] ?? '', 'gsd --help')
  if (target.kind === 'top' && flags['version'] === true) return { kind: 'version', flags }
  if (target.kind === 'top' || flags['help'] === true) return { kind: 'help', topic: line.words.slice(0, 2), flags }
  if (target.kind === 'noun') throw verbMissing(target.noun)
  const args = [...line.words.slice(2), ...line.rest]
  checkArguments(target.command, args)
  return { kind: 'run', command: target.command, args, flags }
}

/** Whether a line asks for JSON, also where the rest of it is wrong. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((arg) => arg === '--json' || arg.startsWith('--json='))
}

const verbMissing = (noun: Noun): GsdError =>
  new GsdError(
    'USAGE_MISSING_ARGUMENT',
    `gsd ${noun} needs one of: ${commandsOf(noun)
      .map(({ verb }) => verb)
      .join(', ')}`,
    {
      hint: `gsd ${noun} --help`,
    },
  )

const checkArguments = (command: Command, args: readonly string[]): void => {
  const help = `gsd ${command.noun} ${command.verb} --help`
  const empty = args.indexOf('')
  if (empty >= 0) throw new GsdError('USAGE_BAD_VALUE', `argument ${empty + 1} is empty: ""`, { hint: help })
  const missing = command.args[args.length]
  if (missing !== undefined && missing.optional === undefined)
    throw new GsdError('USAGE_MISSING_ARGUMENT', `gsd ${command.noun} ${command.verb} needs <${missing.name}>`, {
      hint: help,
    })
  const last = command.args.at(-1)
  if (last?.many === undefined && args.length > command.args.length) throw extra(args[command.args.length] ?? '', help)
}

const extra = (arg: string, help: string): GsdError =>
  new GsdError('USAGE_EXTRA_ARGUMENT', `one argument too many: ${quote(arg)}`, { hint: help })
