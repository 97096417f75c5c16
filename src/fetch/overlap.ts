import { dirname } from 'node:path'
import { GsdError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'

export interface OverlapOptions {
  /** Real path of the folder or file that is installed from. */
  readonly source: string
  /** The same as the user wrote it. */
  readonly sourceText: string
  /** Real paths of `.gsd` folders. */
  readonly roots: readonly string[]
}

/**
 * A source that lies in a `.gsd` it is installed into, or holds it, would be changed by its own installation.
 * Folders are compared by what they are and not only by name: several names can lead to one on a disk that ignores case.
 *
 * @throws GsdError `FETCH_OVERLAPS_SCOPE`
 */
export const checkOverlap = (disk: Disk, { source, sourceText, roots }: OverlapOptions): void => {
  for (const root of roots) {
    if (liesIn(disk, source, root)) throw overlapError(sourceText, 'lies in', root)
    if (liesIn(disk, root, source)) throw overlapError(sourceText, 'contains', root)
  }
}

const overlapError = (named: string, how: string, root: string): GsdError =>
  new GsdError('FETCH_OVERLAPS_SCOPE', `${quote(named)} ${how} ${quote(root)}, where capabilities are installed`, {
    hint: 'copy the capability to a folder of its own and install that, or choose the other --scope',
  })

const liesIn = (disk: Disk, inner: string, outer: string): boolean => {
  const identity = fileIdentity(disk, outer)
  for (let at = inner; ; at = dirname(at)) {
    if (at === outer || (identity !== null && fileIdentity(disk, at) === identity)) return true
    if (at === dirname(at)) return false
  }
}

const fileIdentity = (disk: Disk, path: string): string | null => {
  try {
    const { dev, ino } = disk.statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
