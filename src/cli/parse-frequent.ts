import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { type Command, COMMON_FLAGS, findNoun } from './command.ts'
import { type GivenFlags, isKnownFlag, parseFlags, splitArguments } from './flag-values.ts'

/** A parsed command line. */
export type ParsedCommandLine =
  | { readonly kind: 'version'; readonly flags: GivenFlags }
  | { readonly kind: 'help'; readonly topic: readonly string[]; readonly flags: GivenFlags }
  | { readonly kind: 'run'; readonly command: Command; readonly args: readonly string[]; readonly flags: GivenFlags }

type RunRequest = Extract<ParsedCommandLine, { kind: 'run' }>

/** Commands that agents run many times a minute; each loads without the table of all commands. */
const FREQUENT: Readonly<Record<string, () => Promise<Command>>> = {
  'capability list': async () => (await import('./commands/list.ts')).list,
  'capability ls': async () => (await import('./commands/list.ts')).list,
  'capability install': async () => (await import('./commands/install.ts')).install,
  'capability add': async () => (await import('./commands/install.ts')).install,
  'capability remove': async () => (await import('./commands/remove.ts')).remove,
  'capability state': async () => (await import('./commands/capability-state.ts')).capabilityStateCommand,
  'loop render': async () => (await import('./commands/loop/render.ts')).loopRender,
  'loop render-hooks': async () => (await import('./commands/loop/render.ts')).loopRender,
  'loop gate': async () => (await import('./commands/loop/gate.ts')).loopGate,
  'check predicate': async () => (await import('./commands/loop/check.ts')).checkPredicateCommand,
  'config get': async () => (await import('./commands/config.ts')).configGet,
  'skills resolve': async () => (await import('./commands/skills/resolve.ts')).skillsResolve,
  'skills search': async () => (await import('./commands/skills/search.ts')).skillsSearch,
  'skills show': async () => (await import('./commands/skills/show.ts')).skillsShow,
  'mcp serve': async () => (await import('./commands/mcp/serve.ts')).mcpServe,
}

/**
 * Parses a line that starts with a frequent command and has only flags of it, as `parseCommandLine` would. Null for any
 * other line, and where help is asked for.
 * @throws GsdError USAGE_*
 */
export const parseFrequent = async (argv: readonly string[]): Promise<RunRequest | null> => {
  const [first = '', second = ''] = argv
  const noun = findNoun(first)
  const isServe = noun === 'mcp' && (second === '' || second.startsWith('-'))
  const name = `${noun} ${isServe ? 'serve' : second}`
  if (!Object.hasOwn(FREQUENT, name)) return null
  const command = await FREQUENT[name]?.()
  if (command === undefined) return null
  const known = { ...command.flags, ...COMMON_FLAGS }
  const { words, afterTerminator, flags: typed } = splitArguments(argv, known)
  if ((isServe && words.length > 1) || typed.some((flag) => !isKnownFlag(flag, known))) return null
  const flags = parseFlags(typed, known)
  if (flags['help'] === true) return null
  const args = [...words.slice(2), ...afterTerminator]
  checkArguments(command, args)
  return { kind: 'run', command, args, flags }
}

/** @throws GsdError USAGE_* where arguments are empty, missing or too many */
export const checkArguments = (command: Command, args: readonly string[]): void => {
  const help = `gsd ${command.noun} ${command.verb} --help`
  const empty = args.findIndex((arg, at) => arg === '' && command.args[at]?.blank !== true)
  if (empty >= 0) throw new GsdError('USAGE_BAD_VALUE', `argument ${empty + 1} is empty: ""`, { hint: help })
  const missing = command.args[args.length]
  if (missing !== undefined && missing.optional === undefined)
    throw new GsdError('USAGE_MISSING_ARGUMENT', `gsd ${command.noun} ${command.verb} needs <${missing.name}>`, {
      hint: help,
    })
  const last = command.args.at(-1)
  if (last?.many === undefined && args.length > command.args.length)
    throw extraArgument(args[command.args.length] ?? '', help)
}

/** The error for an argument that no command takes. */
export const extraArgument = (arg: string, help: string): GsdError =>
  new GsdError('USAGE_EXTRA_ARGUMENT', `unexpected argument: ${quote(arg)}`, { hint: help })
