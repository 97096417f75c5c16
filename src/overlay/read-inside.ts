import { errnoOf } from '../errors.ts'
import type { Witness } from './witness.ts'

/** A file of a bundle, or why it cannot be had. `reason` is a clause: `is not a regular file`. */
export type InsideFile =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'absent' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large'; readonly reason: string }

/**
 * Reads a file below a bundle's folder. It is looked at before it is opened, so that a FIFO or device never is; links are
 * followed only as long as they stay inside (rules 15 and 21, and "Reading" of the manifest page).
 *
 * @param root absolute folder of the bundle
 * @param path relative, with `/`
 * @param limit bytes
 */
export const readInside = (witness: Witness, root: string, path: string, limit: number): InsideFile => {
  let place = root
  const segments = path.split('/')
  for (const [at, segment] of segments.entries()) {
    place = `${place}/${segment}`
    let look = witness.lstat(place)
    if (typeof look !== 'string' && look.isSymbolicLink()) {
      const target = insideTarget(witness, root, place)
      if (target === null) return { kind: 'outside', reason: 'is a link that leads out of the bundle' }
      place = target
      look = witness.lstat(place)
    }
    if (typeof look === 'string') return refusal(look)
    if (at < segments.length - 1) {
      if (!look.isDirectory()) return { kind: 'absent', reason: 'does not exist' }
      continue
    }
    if (!look.isFile()) return { kind: 'not-a-file', reason: 'is not a regular file' }
    if (look.size > limit) return { kind: 'too-large', reason: `is larger than ${limit / 1024} KiB` }
  }
  return readAt(witness, place)
}

const readAt = (witness: Witness, place: string): InsideFile => {
  try {
    return { kind: 'file', bytes: witness.read(place) }
  } catch (error) {
    return refusal(errnoOf(error) ?? 'EIO')
  }
}

const refusal = (errno: string): InsideFile =>
  errno === 'ENOENT' || errno === 'ENOTDIR'
    ? { kind: 'absent', reason: 'does not exist' }
    : { kind: 'unreadable', reason: `cannot be read (${errno})` }

/** Where a link ends, if that is inside the bundle. */
const insideTarget = (witness: Witness, root: string, link: string): string | null => {
  try {
    const target = witness.realpath(link)
    return target.startsWith(`${witness.realpath(root)}/`) ? target : null
  } catch {
    return null
  }
}
