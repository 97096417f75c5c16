import type { GsdError } from '../errors.ts'
import type { Flags } from './command.ts'
import { type Command, COMMON_FLAGS, findNoun, isVerbOf, type Noun, NOUNS } from './command.ts'
import { cache } from './commands/cache.ts'
import { capabilitySet } from './commands/capability-set.ts'
import { capabilityStateCommand } from './commands/capability-state.ts'
import { configGet, configList, configSchema, configSet, configUnset } from './commands/config.ts'
import { diff } from './commands/diff.ts'
import { doctor } from './commands/doctor.ts'
import { info } from './commands/info.ts'
import { init } from './commands/init.ts'
import { install } from './commands/install.ts'
import { list } from './commands/list.ts'
import { checkPredicateCommand, loopCheck } from './commands/loop/check.ts'
import { loopGate } from './commands/loop/gate.ts'
import { loopPoints } from './commands/loop/points.ts'
import { loopRender } from './commands/loop/render.ts'
import { mcpInstall } from './commands/mcp/install.ts'
import { mcpServe } from './commands/mcp/serve.ts'
import { outdated } from './commands/outdated.ts'
import { pack } from './commands/pack.ts'
import { remove } from './commands/remove.ts'
import { reviewLanes } from './commands/review/lanes.ts'
import { reviewPlan } from './commands/review/plan.ts'
import { reviewRun } from './commands/review/run.ts'
import { runtimeList, runtimeWhere } from './commands/runtime.ts'
import { disable, enable } from './commands/set-enabled.ts'
import { skillsCheck } from './commands/skills/check.ts'
import { skillsIndex, skillsLock } from './commands/skills/index-and-lock.ts'
import { skillsResolve } from './commands/skills/resolve.ts'
import { skillsSearch } from './commands/skills/search.ts'
import { skillsShow } from './commands/skills/show.ts'
import { skillsStack } from './commands/skills/stack.ts'
import { sync } from './commands/sync.ts'
import { trust } from './commands/trust.ts'
import { update } from './commands/update.ts'
import { validate } from './commands/validate.ts'
import { verify } from './commands/verify.ts'
import { suggest, unknownWordError } from './suggest.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  install,
  update,
  remove,
  list,
  info,
  diff,
  outdated,
  enable,
  disable,
  capabilityStateCommand,
  capabilitySet,
  trust,
  verify,
  doctor,
  sync,
  validate,
  pack,
  init,
  cache,
  loopPoints,
  loopRender,
  loopGate,
  loopCheck,
  reviewLanes,
  reviewPlan,
  reviewRun,
  configGet,
  configSet,
  configUnset,
  configList,
  configSchema,
  runtimeList,
  runtimeWhere,
  checkPredicateCommand,
  skillsIndex,
  skillsCheck,
  skillsSearch,
  skillsShow,
  skillsResolve,
  skillsLock,
  skillsStack,
  mcpServe,
  mcpInstall,
]

export const commandsOf = (noun: Noun): readonly Command[] => COMMANDS.filter((command) => command.noun === noun)

/** Flags of the program itself, without a command. */
export const TOP_FLAGS = {
  ...COMMON_FLAGS,
  version: { kind: 'switch', summary: 'show the version' },
} as const satisfies Flags

/** Flags of all commands together, to split a line before its command is known. */
export const ALL_FLAGS: Flags = Object.assign({}, ...COMMANDS.map((command) => command.flags), TOP_FLAGS)

/** What the words of a line name. */
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
  const commands = commandsOf(noun)
  const wanted = second ?? (noun === 'mcp' ? 'serve' : undefined)
  if (wanted === undefined) return { kind: 'noun', noun }
  const command = commands.find((each) => isVerbOf(each, wanted))
  if (command !== undefined) return { kind: 'command', command }
  const verbs = commands.map(({ verb }) => verb)
  return {
    kind: 'mistyped',
    error: unknownWordError(
      'USAGE_UNKNOWN_COMMAND',
      `command of ${noun}:`,
      wanted,
      verbs,
      (verb) => `gsd ${noun} ${verb}`,
    ),
  }
}

/** The flags of a target. */
export const flagsOf = (target: CommandTarget): Flags => {
  if (target.kind === 'command') return { ...target.command.flags, ...COMMON_FLAGS }
  return target.kind === 'top' ? TOP_FLAGS : COMMON_FLAGS
}

/** A first word that is not a noun may be mistyped, or a verb without its noun. */
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
