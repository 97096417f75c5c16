import { ALL_FLAGS, findTarget, flagsOf } from './command-table.ts'
import { isKnownFlag, parseFlags, splitArguments, unknownFlag } from './flag-values.ts'
import { checkArguments, extraArgument, type ParsedCommandLine } from './parse-frequent.ts'

/**
 * Parses a command line with the command table. Flags may be anywhere before `--`; all that follows it are arguments.
 * @throws GsdError USAGE_*, with the nearest correct word for a mistyped one
 */
export const parseCommandLine = (argv: readonly string[]): ParsedCommandLine => {
  const line = splitArguments(argv, ALL_FLAGS)
  const target = findTarget(line.words)
  const declared = target.kind === 'command' && target.command.declaredFlags === true
  const unknownFlags = line.flags.filter((flag) => !isKnownFlag(flag, ALL_FLAGS))
  const unknown = unknownFlags.find((flag) => !declared || flag.hasInlineValue || !flag.raw.startsWith('--'))
  if (unknown !== undefined) throw unknownFlag(unknown, target.kind === 'mistyped' ? ALL_FLAGS : flagsOf(target))
  if (target.kind === 'mistyped') throw target.error
  const known = line.flags.filter((flag) => !unknownFlags.includes(flag))
  const flags = parseFlags(known, flagsOf(target))
  if (target.kind === 'help') return { kind: 'help', topic: [...line.words.slice(1), ...line.afterTerminator], flags }
  const isHelp = target.kind === 'top' || target.kind === 'noun'
  if (isHelp && line.afterTerminator.length > 0)
    throw extraArgument(
      line.afterTerminator[0] ?? '',
      target.kind === 'top' ? 'gsd --help' : `gsd ${target.noun} --help`,
    )
  if (target.kind === 'top' && flags['version'] === true) return { kind: 'version', flags }
  if (isHelp || flags['help'] === true) return { kind: 'help', topic: line.words.slice(0, 2), flags }
  const args = [...line.words.slice(2), ...unknownFlags.map(({ raw }) => raw), ...line.afterTerminator]
  checkArguments(target.command, args)
  return { kind: 'run', command: target.command, args, flags }
}
