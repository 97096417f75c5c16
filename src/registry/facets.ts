import type { DiagnosticCode } from '../diagnostic.ts'
import type { UnknownRecord } from '../manifest/json/object.ts'
import { pointerTo } from '../manifest/json/pointer.ts'
import { hasReviewerSwitch } from '../manifest/lane.ts'
import type { Tier } from '../manifest/manifest.ts'
import { objectOf } from '../manifest/relations/relation.ts'

/** Something that has exactly one owner in the merged set (rules 43 and 45). */
export interface OwnedName {
  readonly kind: OwnedKind
  readonly name: string
  /** JSON pointer of its declaration. */
  readonly pointer: string
  /** For artefacts: the loop point; otherwise empty. */
  readonly point: string
}

/** Each kind of owned name: the code of its collision and its noun in messages. */
export const OWNED_KINDS = {
  skill: { code: 'REGISTRY_SKILL_COLLISION', noun: 'skill' },
  agent: { code: 'REGISTRY_AGENT_COLLISION', noun: 'agent' },
  config: { code: 'REGISTRY_CONFIG_COLLISION', noun: 'config key' },
  command: { code: 'REGISTRY_COMMAND_COLLISION', noun: 'command family' },
  slug: { code: 'REGISTRY_LANE_SLUG_COLLISION', noun: 'lane slug' },
  flag: { code: 'REGISTRY_LANE_FLAG_COLLISION', noun: 'lane flag' },
  section: { code: 'REGISTRY_LANE_SECTION_COLLISION', noun: 'lane section' },
  artefact: { code: 'REGISTRY_ARTEFACT_COLLISION', noun: 'artefact' },
} as const satisfies Record<string, { readonly code: DiagnosticCode; readonly noun: string }>

export type OwnedKind = keyof typeof OWNED_KINDS

/** The part of a step or contribution that concerns artefacts. */
export interface HookFacet {
  readonly kind: 'step' | 'contribution'
  readonly point: string
  readonly produces: readonly string[]
  readonly consumes: readonly string[]
  readonly pointer: string
}

/** A step that refers to a command: its family and the word after it. */
export interface CommandRef {
  readonly family: string
  readonly subcommand: string | null
  readonly pointer: string
}

/** A host runtime named in `runtimeCompat`. */
export interface RuntimeRef {
  readonly runtime: string
  readonly pointer: string
}

/** The part of a manifest that the rules over the merged set need. */
export interface Facets {
  readonly id: string
  readonly tier: Tier | null
  readonly requires: readonly string[]
  readonly ownedNames: readonly OwnedName[]
  readonly hooks: readonly HookFacet[]
  readonly commandRefs: readonly CommandRef[]
  /** Command family → its subcommands, or null when they are not listed. */
  readonly families: ReadonlyMap<string, readonly string[] | null>
  readonly runtimeRefs: readonly RuntimeRef[]
}

/**
 * The facets of a manifest. Accepts any value: parts with a wrong shape are omitted, so that the rules over the merged set
 * never see them. Null for a value without an id.
 */
export const facetsOf = (manifest: unknown): Facets | null => {
  const body = objectOf(manifest)
  const id = body['id']
  if (typeof id !== 'string' || id === '') return null
  const steps = recordsOf(body['steps'])
  const contributions = recordsOf(body['contributions'])
  const tier = body['tier']
  return {
    id,
    tier: tier === 'core' || tier === 'standard' || tier === 'full' ? tier : null,
    requires: distinctStrings(body['requires']),
    ownedNames: ownedNamesOf(body, steps),
    hooks: steps.length + contributions.length === 0 ? EMPTY_LIST : hooksOf(steps, contributions),
    commandRefs: steps.length === 0 ? EMPTY_LIST : steps.flatMap(commandRefOf),
    families: familiesOf(body),
    runtimeRefs: runtimeRefsOf(objectOf(body['runtimeCompat'])),
  }
}

const ownedNamesOf = (body: UnknownRecord, steps: readonly UnknownRecord[]): OwnedName[] => {
  const owned: OwnedName[] = []
  const add = (kind: OwnedKind, name: unknown, pointer: string, point = ''): void => {
    if (typeof name === 'string') owned.push({ kind, name, pointer, point })
  }
  const addAll = (kind: OwnedKind, names: unknown, pointer: string): void =>
    arrayOf(names).forEach((name, at) => add(kind, name, `${pointer}/${at}`))

  addAll('skill', body['skills'], '/skills')
  addAll('agent', body['agents'], '/agents')
  for (const key of Object.keys(objectOf(body['config']))) add('config', key, pointerTo('/config', key))
  recordsOf(body['commands']).forEach((command, at) => add('command', command['family'], `/commands/${at}/family`))
  if (body['reviewer'] !== undefined) {
    const lane = objectOf(body['reviewer'])
    add('slug', lane['slug'], '/reviewer/slug')
    addAll('flag', lane['flags'], '/reviewer/flags')
    add('section', lane['reviewsSection'], '/reviewer/reviewsSection')
  } else if (hasReviewerSwitch(body['runtime'])) {
    // The deprecated switch makes a lane that is named by the id (rule 42).
    const pointer = '/runtime/hostBehaviors/reviewerCli'
    add('slug', body['id'], pointer)
    add('flag', `--${String(body['id'])}`, pointer)
    add('section', body['title'], pointer)
  }
  steps.forEach((step, at) => {
    const point = step['point']
    if (typeof point !== 'string') return
    for (const name of distinctStrings(step['produces'])) add('artefact', name, `/steps/${at}/produces`, point)
  })
  return owned
}

/** Contributions that produce nothing have no effect on others. */
const hooksOf = (steps: readonly UnknownRecord[], contributions: readonly UnknownRecord[]): HookFacet[] => {
  const hooks = steps.map((step, at) => hookFacet('step', step, `/steps/${at}`))
  contributions.forEach((contribution, at) => {
    if (arrayOf(contribution['produces']).length > 0)
      hooks.push(hookFacet('contribution', contribution, `/contributions/${at}`))
  })
  return hooks
}

const hookFacet = (kind: HookFacet['kind'], hook: UnknownRecord, pointer: string): HookFacet => ({
  kind,
  point: typeof hook['point'] === 'string' ? hook['point'] : '',
  produces: distinctStrings(hook['produces']),
  consumes: distinctStrings(hook['consumes']),
  pointer,
})

const commandRefOf = (step: UnknownRecord, at: number): CommandRef[] => {
  const command = objectOf(step['ref'])['command']
  if (typeof command !== 'string') return []
  const [family = '', subcommand = null] = command.split(' ')
  return [{ family, subcommand, pointer: `/steps/${at}/ref/command` }]
}

const NO_FAMILIES: ReadonlyMap<string, readonly string[] | null> = new Map()

const familiesOf = (body: UnknownRecord): ReadonlyMap<string, readonly string[] | null> => {
  const commands = recordsOf(body['commands'])
  if (commands.length === 0) return NO_FAMILIES
  const families = new Map<string, readonly string[] | null>()
  for (const { family, subcommands } of commands) {
    if (typeof family === 'string')
      families.set(family, Array.isArray(subcommands) ? distinctStrings(subcommands) : null)
  }
  return families
}

const runtimeRefsOf = (compat: UnknownRecord): readonly RuntimeRef[] => {
  const refs: RuntimeRef[] = []
  const refer = (runtime: unknown, pointer: string): void => {
    if (typeof runtime === 'string' && runtime !== '*') refs.push({ runtime, pointer })
  }
  for (const list of ['supported', 'unsupported'] as const)
    arrayOf(compat[list]).forEach((runtime, at) => refer(runtime, `/runtimeCompat/${list}/${at}`))
  for (const runtime of Object.keys(objectOf(compat['notes'])))
    refer(runtime, pointerTo('/runtimeCompat/notes', runtime))
  return refs
}

const EMPTY_LIST: readonly never[] = []

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY_LIST)

const recordsOf = (value: unknown): readonly UnknownRecord[] => {
  const list = arrayOf(value)
  return list.length === 0 ? EMPTY_LIST : list.map(objectOf)
}

const distinctStrings = (value: unknown): readonly string[] => {
  const list = arrayOf(value)
  if (list.length === 0) return EMPTY_LIST
  const strings = list.filter((item): item is string => typeof item === 'string')
  return strings.length < 2 ? strings : [...new Set(strings)]
}
