import { isUtf8 } from 'node:buffer'
import type { FeatureManifest, Fragment, Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { shellWord } from './shell-word.ts'
import type { Trouble } from './overlay.ts'
import { InsideReader } from './read-inside.ts'
import type { Witness } from './witness.ts'

const FRAGMENT_LIMIT = 256 * 1024

/**
 * Reads the fragments a manifest names by path (rule 21): regular files inside the bundle, at most 256 KiB, UTF-8. Text is
 * given as it stands, without a leading byte order mark. One that cannot be had costs the whole capability.
 */
export const readFragments = (
  witness: Witness,
  dir: string,
  manifest: Manifest,
  inside = new InsideReader(witness, dir),
): { readonly texts: Readonly<Record<string, string>> } | Trouble => {
  if (manifest.role !== 'feature') return NONE
  const paths = fragmentPaths(manifest)
  if (paths.size === 0) return NONE
  const texts: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [path, pointer] of paths) {
    const read = inside.read(path, FRAGMENT_LIMIT)
    if (read.kind !== 'file') return trouble(dir, path, pointer, read.reason)
    if (!isUtf8(read.bytes)) return trouble(dir, path, pointer, 'is not UTF-8 text')
    const text = read.bytes.toString('utf8')
    texts[path] = text.startsWith('\ufeff') ? text.slice(1) : text
  }
  return { texts }
}

const NONE = { texts: {} } as const

/** Each path once, with the pointer of the first place that names it. */
const fragmentPaths = ({ steps, contributions }: FeatureManifest): Map<string, string> => {
  const paths = new Map<string, string>()
  const note = (fragment: Fragment | undefined, list: string, at: number): void => {
    if (fragment === undefined || !('path' in fragment) || paths.has(fragment.path)) return
    paths.set(fragment.path, `/${list}/${at}/fragment/path`)
  }
  steps.forEach((step, at) => note(step.fragment, 'steps', at))
  contributions.forEach((contribution, at) => note(contribution.fragment, 'contributions', at))
  return paths
}

const trouble = (dir: string, path: string, pointer: string, reason: string): Trouble => ({
  code: 'OVERLAY_FRAGMENT',
  status: 'invalid',
  reason: `its fragment ${quote(path)} ${reason}`,
  hint: `look at ${shellWord(`${dir}/${path}`)}`,
  place: { path: pointer },
})
