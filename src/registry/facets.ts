import type { DiagnosticCode } from '../diagnostic.ts'
import { hasReviewerSwitch } from '../manifest/lane.ts'
import type { Tier } from '../manifest/manifest.ts'

/** Something that has exactly one owner in the merged set (rules 43 and 45). */
export interface OwnedName {
  readonly kind: OwnedKind
  readonly name: string
  /** JSON pointer of the place that declares it. */
  readonly pointer: string
  /** For artefacts: the loop point; otherwise empty. */
  readonly point: string
}

/** Each kind of claim: the code of its collision and the noun it has in a message. */
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

/** A step or contribution as the rules about artefacts see it. */
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

/** What the rules over the merged set need to know of one manifest, and nothing else. */
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
 * Projects a manifest onto its facets. Takes any value: what has not the shape it should have is left out, so that the
 * rules over the merged set never meet it. Returns null for a value without an id.
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

const ownedNamesOf = (body: Json, steps: readonly Json[]): OwnedName[] => {
  const claims: OwnedName[] = []
  const claim = (kind: OwnedKind, name: unknown, pointer: string, point = ''): void => {
    if (typeof name === 'string') claims.push({ kind, name, pointer, point })
  }
  const claimAll = (kind: OwnedKind, names: unknown, pointer: string): void =>
    arrayOf(names).forEach((name, at) => claim(kind, name, `${pointer}/${at}`))

  claimAll('skill', body['skills'], '/skills')
  claimAll('agent', body['agents'], '/agents')
  for (const key of Object.keys(objectOf(body['config']))) claim('config', key, `/config/${pointerToken(key)}`)
  recordsOf(body['commands']).forEach((command, at) => claim('command', command['family'], `/commands/${at}/family`))
  if (body['reviewer'] !== undefined) {
    const lane = objectOf(body['reviewer'])
    claim('slug', lane['slug'], '/reviewer/slug')
    claimAll('flag', lane['flags'], '/reviewer/flags')
    claim('section', lane['reviewsSection'], '/reviewer/reviewsSection')
  } else if (hasReviewerSwitch(body['runtime'])) {
    // The deprecated switch makes a lane that is named by the id (rule 42).
    const pointer = '/runtime/hostBehaviors/reviewerCli'
    claim('slug', body['id'], pointer)
    claim('flag', `--${String(body['id'])}`, pointer)
    claim('section', body['title'], pointer)
  }
  steps.forEach((step, at) => {
    const point = step['point']
    if (typeof point !== 'string') return
    for (const name of distinctStrings(step['produces'])) claim('artefact', name, `/steps/${at}/produces`, point)
  })
  return claims
}

/** A contribution that produces nothing orders nobody and supplies nobody. */
const hooksOf = (steps: readonly Json[], contributions: readonly Json[]): HookFacet[] => {
  const hooks = steps.map((step, at) => hookFacet('step', step, `/steps/${at}`))
  contributions.forEach((contribution, at) => {
    if (arrayOf(contribution['produces']).length > 0)
      hooks.push(hookFacet('contribution', contribution, `/contributions/${at}`))
  })
  return hooks
}

const hookFacet = (kind: HookFacet['kind'], hook: Json, pointer: string): HookFacet => ({
  kind,
  point: typeof hook['point'] === 'string' ? hook['point'] : '',
  produces: distinctStrings(hook['produces']),
  consumes: distinctStrings(hook['consumes']),
  pointer,
})

const commandRefOf = (step: Json, at: number): CommandRef[] => {
  const command = objectOf(step['ref'])['command']
  if (typeof command !== 'string') return []
  const [family = '', subcommand = null] = command.split(' ')
  return [{ family, subcommand, pointer: `/steps/${at}/ref/command` }]
}

const NO_FAMILIES: ReadonlyMap<string, readonly string[] | null> = new Map()

const familiesOf = (body: Json): ReadonlyMap<string, readonly string[] | null> => {
  const commands = recordsOf(body['commands'])
  if (commands.length === 0) return NO_FAMILIES
  const families = new Map<string, readonly string[] | null>()
  for (const { family, subcommands } of commands) {
    if (typeof family === 'string')
      families.set(family, Array.isArray(subcommands) ? distinctStrings(subcommands) : null)
  }
  return families
}

const runtimeRefsOf = (compat: Json): readonly RuntimeRef[] => {
  const refs: RuntimeRef[] = []
  const refer = (runtime: unknown, pointer: string): void => {
    if (typeof runtime === 'string' && runtime !== '*') refs.push({ runtime, pointer })
  }
  for (const list of ['supported', 'unsupported'] as const)
    arrayOf(compat[list]).forEach((runtime, at) => refer(runtime, `/runtimeCompat/${list}/${at}`))
  for (const runtime of Object.keys(objectOf(compat['notes'])))
    refer(runtime, `/runtimeCompat/notes/${pointerToken(runtime)}`)
  return refs
}

type Json = Readonly<Record<string, unknown>>

const EMPTY_OBJECT: Json = Object.freeze(Object.create(null) as Json)

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : EMPTY_OBJECT

const EMPTY_LIST: readonly never[] = []

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY_LIST)

const recordsOf = (value: unknown): readonly Json[] => {
  const list = arrayOf(value)
  return list.length === 0 ? EMPTY_LIST : list.map(objectOf)
}

const distinctStrings = (value: unknown): readonly string[] => {
  const list = arrayOf(value)
  if (list.length === 0) return EMPTY_LIST
  const strings = list.filter((item): item is string => typeof item === 'string')
  return strings.length < 2 ? strings : [...new Set(strings)]
}

const pointerToken = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
