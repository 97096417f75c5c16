import type { BundleFile } from '../bundle/bundle.ts'
import type { ScopeName } from '../diagnostic.ts'
import type { FeatureManifest, Manifest } from '../manifest/manifest.ts'
import { fileFingerprint } from '../state/grants.ts'
import { compareWithBaseline, type Baseline, type Difference } from './compare-surfaces.ts'
import type { HiddenFinding } from './hidden-text/hidden-finding.ts'
import { listSurfaces } from './list-surfaces.ts'
import type { Surface } from './surface.ts'

/** What is shown of one capability before the user approves it. */
export interface Disclosure {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly scope: ScopeName
  readonly spec: string
  readonly digest: string
  /** With secrets; `redactSurface` hides them for display. */
  readonly surfaces: readonly Surface[]
  /** How it differs from what was approved before; null where nothing was. */
  readonly difference: Difference | null
  readonly skills: readonly string[]
  readonly agents: readonly string[]
  /** Loop points at which prompt text is added, with its role. */
  readonly fragments: readonly string[]
  /** Invisible characters, by file, line and column. */
  readonly hidden: readonly HiddenFinding[]
  readonly files: number
  readonly bytes: number
  /** Host settings files that will be edited. */
  readonly edits: readonly { readonly runtime: string; readonly file: string }[]
}

export interface DisclosureInput {
  readonly manifest: Manifest
  readonly files: readonly BundleFile[]
  readonly scope: ScopeName
  readonly spec: string
  readonly digest: string
  readonly edits: Disclosure['edits']
  readonly hidden?: Disclosure['hidden']
  readonly baseline?: Baseline | null
}

/** Collects what is shown before consent (security page, "Disclosure and consent"). */
export const createDisclosure = ({
  manifest,
  files,
  scope,
  spec,
  digest,
  edits,
  hidden = [],
  baseline = null,
}: DisclosureInput): Disclosure => ({
  id: manifest.id,
  version: manifest.version,
  title: manifest.title,
  scope,
  spec,
  digest,
  surfaces: listSurfaces(manifest, files),
  difference:
    baseline === null
      ? null
      : compareWithBaseline(baseline, { surfaces: listSurfaces(manifest, files), files: fileFingerprints(files) }),
  skills: manifest.role === 'feature' ? manifest.skills : [],
  agents: manifest.role === 'feature' ? manifest.agents : [],
  fragments: manifest.role === 'feature' ? listFragments(manifest) : [],
  files: files.length,
  bytes: files.reduce((sum, file) => sum + file.size, 0),
  hidden,
  edits,
})

const fileFingerprints = (files: readonly BundleFile[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file.path, fileFingerprint(file)]))

const listFragments = (manifest: FeatureManifest): string[] => [
  ...manifest.contributions.map((contribution) => `${contribution.point} into ${contribution.into}`),
  ...manifest.steps.filter((step) => step.fragment !== undefined).map((step) => `${step.point} with its step`),
]
