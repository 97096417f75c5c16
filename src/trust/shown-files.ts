import type { BundleFile } from '../bundle/bundle.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import type { Difference } from './compare-surfaces.ts'
import { fileNaming, surfaceStrings } from './named-files.ts'
import { changesThatCanRun, proseTest } from './prose.ts'
import type { Surface } from './surface.ts'

/** Which files are shown before consent. */
export interface ShownFiles {
  /** Scripts and programs that run; where something was approved before, every changed file that can run. */
  readonly code: readonly string[]
  /** Changed prose, which an agent will obey; the manifest where only its descriptive members changed. */
  readonly prose: readonly string[]
}

export interface ShownFilesInput {
  readonly surfaces: readonly Surface[]
  readonly files: readonly BundleFile[]
  readonly difference: Difference | null
  /** Path → fingerprint of what was approved before. */
  readonly before: ReadonlyMap<string, string>
  /** The manifest differs at most in members that only describe. */
  readonly sameManifest: boolean
}

/** Chooses the files to show: at first what runs, later what changed. */
export const chooseShownFiles = ({
  surfaces,
  files,
  difference,
  before,
  sameManifest,
}: ShownFilesInput): ShownFiles => {
  if (difference === null) return { code: runningFiles(surfaces, files), prose: [] }
  const { added, removed, changed } = difference.files
  const all = [...added, ...removed, ...changed].toSorted()
  const code = changesThatCanRun(all, {
    surfaces,
    before: [...before].map(([path, mark]) => ({ path, executable: mark.startsWith('x'), shebang: false })),
    after: files,
    sameManifest,
  })
  const scripts = new Set(code)
  return { code, prose: all.filter((path) => !scripts.has(path)) }
}

/** Files that a surface names, and scripts of skills. */
const runningFiles = (surfaces: readonly Surface[], files: readonly BundleFile[]): readonly string[] => {
  const isNamed = fileNaming(surfaceStrings(surfaces))
  const isProse = proseTest(surfaces)
  return files
    .filter((file) => file.path !== MANIFEST_FILE && isNamed(file.path) && !isProse(file))
    .map(({ path }) => path)
}
