import { basename, extname } from 'node:path/posix'
import type { BundleFile } from '../bundle/bundle.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { fileNaming, surfaceStrings } from './named-files.ts'
import type { Surface } from './surface.ts'

/** Endings of Markdown and text that people and agents read. */
const PROSE_EXTENSION = /^\.(?:md|markdown|mdown|mkd|mdc|txt|text|rst|adoc)$/i
/** Text files that programs read. */
const READ_BY_PROGRAMS = /^(?:requirements|constraints|cmakelists)[^/]*\.txt$/i

/** What decides whether a file is prose. */
export type ProseFile = Pick<BundleFile, 'path' | 'executable' | 'shebang'>

/**
 * Tests whether a file of a capability is prose: a Markdown or text file that no surface's strings name, without execute bit
 * or `#!`. Any other file can run (security page, "Disclosure and consent").
 */
export const proseTest = (surfaces: readonly Surface[]): ((file: ProseFile) => boolean) => {
  const isNamed = fileNaming(surfaceStrings(surfaces))
  return ({ path, executable, shebang }) =>
    !executable &&
    !shebang &&
    PROSE_EXTENSION.test(extname(path)) &&
    !READ_BY_PROGRAMS.test(basename(path)) &&
    !isNamed(path)
}

/** The two versions of a capability. `before`: what is known of the files the user agreed to. */
export interface VersionPair {
  readonly surfaces: readonly Surface[]
  readonly before: readonly ProseFile[]
  readonly after: readonly ProseFile[]
  /** The manifests differ at most in members that only describe. */
  readonly sameManifest: boolean
}

/** Of some changed paths, those whose change may change what runs. A file must be prose before and after to be exempt. */
export const changesThatCanRun = (
  changed: readonly string[],
  { surfaces, before, after, sameManifest }: VersionPair,
): readonly string[] => {
  const isProse = proseTest(surfaces)
  const isManifestNamed = fileNaming(surfaceStrings(surfaces))(MANIFEST_FILE)
  const versions = new Map<string, readonly ProseFile[]>()
  for (const file of [...before, ...after]) versions.set(file.path, [...(versions.get(file.path) ?? []), file])
  return changed.filter((path) => {
    const files = versions.get(path) ?? []
    if (path === MANIFEST_FILE) return !sameManifest || isManifestNamed || files.some(({ executable }) => executable)
    return files.length === 0 || !files.every(isProse)
  })
}
