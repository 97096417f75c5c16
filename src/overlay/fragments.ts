import { isUtf8 } from 'node:buffer'
import type { Fragment, Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { shellWord } from './shell-word.ts'
import type { Trouble } from './overlay.ts'
import { readInside } from './read-inside.ts'
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
): { readonly texts: Readonly<Record<string, string>> } | Trouble => {
  if (manifest.role !== 'feature') return { texts: {} }
  const texts: Record<string, string> = Object.create(null) as Record<string, string>
  const steps = manifest.steps.map((step, at) => ({ fragment: step.fragment, pointer: `/steps/${at}/fragment/path` }))
  const contributions = manifest.contributions.map((it, at) => ({
    fragment: it.fragment,
    pointer: `/contributions/${at}/fragment/path`,
  }))
  for (const { fragment, pointer } of [...steps, ...contributions]) {
    const path = pathOf(fragment)
    if (path === null || Object.hasOwn(texts, path)) continue
    const read = readInside(witness, dir, path, FRAGMENT_LIMIT)
    if (read.kind !== 'file') return trouble(dir, path, pointer, read.reason)
    if (!isUtf8(read.bytes)) return trouble(dir, path, pointer, 'is not UTF-8 text')
    texts[path] = withoutMark(read.bytes.toString('utf8'))
  }
  return { texts }
}

const pathOf = (fragment: Fragment | undefined): string | null =>
  fragment !== undefined && 'path' in fragment ? fragment.path : null

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

const trouble = (dir: string, path: string, pointer: string, reason: string): Trouble => ({
  code: 'OVERLAY_FRAGMENT',
  status: 'invalid',
  reason: `its fragment ${quote(path)} ${reason}`,
  hint: `look at ${shellWord(`${dir}/${path}`)}`,
  place: { path: pointer },
})
