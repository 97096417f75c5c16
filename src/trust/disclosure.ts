import type { BundleFile } from '../bundle/bundle.ts'
import type { ScopeName } from '../diagnostic.ts'
import type { FeatureManifest, Manifest } from '../manifest/manifest.ts'
import { fileFingerprint } from '../state/grants.ts'
import { compareWithBaseline, type Baseline, type Difference } from './compare-surfaces.ts'
import type { FileVersion } from './file-diff.ts'
import type { HiddenFinding } from './hidden-text/hidden-finding.ts'
import { listSurfaces } from './list-surfaces.ts'
import { chooseShownFiles } from './shown-files.ts'
import { manifestFingerprint } from './signature.ts'
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
  /** Paths of the scripts and programs to show as text; of a changed capability, of every changed file that can run. */
  readonly code: readonly string[]
  /** Paths of changed prose. */
  readonly prose: readonly string[]
  /** Reads the files; absent where they are part of the program. Functions, so no part of an answer. */
  readonly readFile?: ReadVersion
  /** Reads the files of what is installed; absent where nothing is. */
  readonly readBefore?: ReadVersion
  /** Paths of all files. */
  readonly listFiles?: () => readonly string[]
}

/** One version of a file, null where it does not exist. */
export type ReadVersion = (path: string) => FileVersion | null

export interface DisclosureInput {
  readonly manifest: Manifest
  readonly files: readonly BundleFile[]
  readonly scope: ScopeName
  readonly spec: string
  readonly digest: string
  readonly edits: Disclosure['edits']
  readonly hidden?: Disclosure['hidden']
  readonly baseline?: Baseline | null
  readonly readFile?: ReadVersion
  readonly readBefore?: ReadVersion | null
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
  readFile,
  readBefore = null,
}: DisclosureInput): Disclosure => {
  const surfaces = listSurfaces(manifest, files)
  const difference =
    baseline === null ? null : compareWithBaseline(baseline, { surfaces, files: fileFingerprints(files) })
  const before = baseline?.files ?? new Map<string, string>()
  const sameManifest = baseline?.core === manifestFingerprint(manifest)
  return {
    id: manifest.id,
    version: manifest.version,
    title: manifest.title,
    scope,
    spec,
    digest,
    surfaces,
    difference,
    skills: manifest.role === 'feature' ? manifest.skills : [],
    agents: manifest.role === 'feature' ? manifest.agents : [],
    fragments: manifest.role === 'feature' ? listFragments(manifest) : [],
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    hidden,
    edits,
    ...chooseShownFiles({ surfaces, files, difference, before, sameManifest }),
    ...(readFile === undefined ? {} : { readFile, listFiles: () => files.map(({ path }) => path) }),
    ...(difference === null || readBefore === null ? {} : { readBefore }),
  }
}

const fileFingerprints = (files: readonly BundleFile[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file.path, fileFingerprint(file)]))

const listFragments = (manifest: FeatureManifest): string[] => [
  ...manifest.contributions.map((contribution) => `${contribution.point} into ${contribution.into}`),
  ...manifest.steps.filter((step) => step.fragment !== undefined).map((step) => `${step.point} with its step`),
]
