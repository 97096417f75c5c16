import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** As many links as any system follows. */
const MAX_LINKS = 40

/**
 * A path with every link followed, also where its end does not exist yet: what is missing keeps its name, below the real
 * path of what is there. A link to nothing leads to where a file would be made. Takes absolute paths, never throws.
 */
export const realPathOf = (path: string, links = MAX_LINKS): string => {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    if (parent === path) return path
    const folder = realPathOf(parent, links)
    const target = links === 0 ? null : linkTarget(path)
    return target === null ? join(folder, basename(path)) : realPathOf(resolve(folder, target), links - 1)
  }
}

/** True when `inner` is `outer` or lies below it; both real. */
export const isInside = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)

const linkTarget = (path: string): string | null => {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
