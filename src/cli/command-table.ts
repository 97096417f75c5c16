import { type Command, type Noun, NOUNS } from './command.ts'
import { cache } from './commands/cache.ts'
import { capabilitySet } from './commands/capability-set.ts'
import { capabilityStateCommand } from './commands/capability-state.ts'
import { configGet, configList, configSchema, configSet, configUnset } from './commands/config.ts'
import { doctor } from './commands/doctor.ts'
import { info } from './commands/info.ts'
import { init } from './commands/init.ts'
import { install } from './commands/install.ts'
import { list } from './commands/list.ts'
import { checkPredicateCommand, loopCheck } from './commands/loop-check.ts'
import { loopGate } from './commands/loop-gate.ts'
import { loopPoints } from './commands/loop-points.ts'
import { loopRender } from './commands/loop-render.ts'
import { outdated } from './commands/outdated.ts'
import { pack } from './commands/pack.ts'
import { remove } from './commands/remove.ts'
import { runtimeList, runtimeWhere } from './commands/runtime.ts'
import { disable, enable } from './commands/set-enabled.ts'
import { sync } from './commands/sync.ts'
import { trust } from './commands/trust.ts'
import { update } from './commands/update.ts'
import { validate } from './commands/validate.ts'
import { verify } from './commands/verify.ts'
import type { Flags } from './flag.ts'
import { COMMON_FLAGS } from './flag.ts'

/** Every command there is, in the order of the help. What is not in this table does not exist. */
export const COMMANDS: readonly Command[] = [
  install,
  update,
  remove,
  list,
  info,
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
  configGet,
  configSet,
  configUnset,
  configList,
  configSchema,
  runtimeList,
  runtimeWhere,
  checkPredicateCommand,
]

/** The noun that a first word or its alias names. */
export const findNoun = (word: string): Noun | null => {
  const nouns = Object.keys(NOUNS) as Noun[]
  return nouns.find((noun) => noun === word || (NOUNS[noun] as readonly string[]).includes(word)) ?? null
}

export const commandsOf = (noun: Noun): readonly Command[] => COMMANDS.filter((command) => command.noun === noun)

/** Flags of the program itself, without a command. */
export const TOP_FLAGS = {
  ...COMMON_FLAGS,
  version: { kind: 'switch', summary: 'show the version' },
} as const satisfies Flags

/** Flags of all commands together, so that a line can be taken apart before its command is known. */
export const ALL_FLAGS: Flags = Object.assign({}, ...COMMANDS.map((command) => command.flags), TOP_FLAGS)
