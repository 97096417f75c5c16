import type { Diagnostic } from '../diagnostic.ts'
import type { Manifest } from './manifest.ts'
import type { ManifestText } from './read.ts'

export interface BundleCheckOptions {
  /** Gives the findings file, line and column. */
  readonly text?: ManifestText
  /** Skills, agents and command modules of a first-party set belong to the host and are not looked for (rule 48). */
  readonly firstParty?: boolean
}

/** The rules that need to know which files a bundle holds (14, 15, 21, 24, 25). Keys of `files` are bundle paths with `/`. */
export const checkBundle = (
  _manifest: Manifest,
  _files: ReadonlyMap<string, { readonly size: number }>,
  _options: BundleCheckOptions = {},
): Diagnostic[] => []
