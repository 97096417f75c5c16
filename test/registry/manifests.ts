import type { FeatureManifest, Manifest, Tier } from '../../src/manifest/manifest.ts'
import { type ComposeResult, composeRegistry, type ComposeInput } from '../../src/registry/compose.ts'
import type { Candidate, Origin, Row } from '../../src/registry/registry.ts'

/** A feature that declares only the given members. */
export const feature = (id: string, rest: Partial<FeatureManifest> = {}): FeatureManifest => ({
  id,
  role: 'feature',
  version: '1.0.0',
  title: `Title of ${id}`,
  description: `Description of ${id}`,
  tier: 'full',
  requires: [],
  runtimeCompat: { supported: ['*'], unsupported: [] },
  skills: [],
  agents: [],
  config: {},
  steps: [],
  contributions: [],
  gates: [],
  ...rest,
})

export const step = (point: string, produces: readonly string[], consumes: readonly string[] = [], skill = 's') => ({
  point,
  ref: { skill },
  produces,
  consumes,
  onError: 'skip' as const,
})

export const contribution = (
  point: string,
  into: string,
  inline: string,
  produces: readonly string[] = [],
  consumes: readonly string[] = [],
) => ({
  point,
  into,
  fragment: { inline },
  produces,
  consumes,
})

export const flag = (value = true) => ({ type: 'boolean' as const, default: value, description: 'A switch.' })

export const candidate = (manifest: Manifest, origin: Origin = 'global'): Candidate => ({
  manifest,
  origin,
  dir: origin === 'first-party' ? null : `/${origin}/.gsd/capabilities/${manifest.id}`,
  fragments: {},
})

/** Composes features: first-party, project and global ones. */
export const compose = (
  sets: { firstParty?: readonly Manifest[]; project?: readonly Manifest[]; global?: readonly Manifest[] },
  rest: Partial<ComposeInput> = {},
): ComposeResult =>
  composeRegistry({
    firstParty: (sets.firstParty ?? []).map((it) => candidate(it, 'first-party')),
    overlays: [
      ...(sets.project ?? []).map((it) => candidate(it, 'project')),
      ...(sets.global ?? []).map((it) => candidate(it, 'global')),
    ],
    ...rest,
  })

/** `a/project: active` for each row. */
export const statuses = (composed: ComposeResult): Record<string, string> =>
  Object.fromEntries(
    composed.rows.map((row: Row) => [
      `${row.id}/${row.scope}`,
      row.code === null ? row.status : `${row.status} ${row.code}`,
    ]),
  )

export const tiers: readonly Tier[] = ['core', 'standard', 'full']
