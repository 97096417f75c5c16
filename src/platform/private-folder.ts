import type { Stats } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { diskError, isErrno } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { ensureFolder } from './folders.ts'

/** Whether a file or folder belongs to this user and nobody else can write to it. */
export const isOwnedByUser = (stats: Stats): boolean =>
  process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0)

/**
 * Refuses a folder of the cache that another user, or a link, may control: each level from the cache's own folder down to
 * the given one has to be a real folder of this user that nobody else can write to. Levels that do not exist are fine.
 * @throws STATE_CACHE_UNSAFE, STATE_*
 */
export const checkCacheFolder = (disk: Pick<Disk, 'lstatSync'>, cache: string, folder = cache): void => {
  for (const level of levelsOf(cache, folder)) {
    const stats = lstatOrNull(disk, level)
    if (stats === null) return
    const problem = problemOf(stats)
    if (problem !== null) throw unsafeError(level, problem)
  }
}

/** The same, as an answer. */
export const isCacheFolderSafe = (disk: Pick<Disk, 'lstatSync'>, cache: string, folder = cache): boolean => {
  try {
    checkCacheFolder(disk, cache, folder)
    return true
  } catch {
    return false
  }
}

/** Checks a folder of the cache and creates it, closed to other users. @throws STATE_* */
export const ensureCacheFolder = (disk: Disk, cache: string, folder: string): string[] => {
  checkCacheFolder(disk, cache, folder)
  return ensureFolder(disk, folder, 0o700)
}

/** From the cache's own folder down. */
const levelsOf = (cache: string, folder: string): string[] => {
  const below = relative(cache, folder)
  const levels = [cache]
  if (below === '' || below.startsWith('..')) return levels
  for (const part of below.split(sep)) levels.push(`${levels.at(-1) ?? cache}${sep}${part}`)
  return levels
}

const lstatOrNull = (disk: Pick<Disk, 'lstatSync'>, path: string): Stats | null => {
  try {
    return disk.lstatSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw diskError(error, 'inspect', path)
  }
}

const problemOf = (stats: Stats): { readonly what: string; readonly fix: (path: string) => string } | null => {
  if (stats.isSymbolicLink()) return { what: 'is a link', fix: (path) => `delete the link ${quote(path)}` }
  // What is neither is met when something is written below it.
  if (!stats.isDirectory()) return null
  if (process.geteuid === undefined) return null
  if (stats.uid !== process.geteuid())
    return { what: 'belongs to another user', fix: (path) => `delete ${quote(path)}` }
  if ((stats.mode & 0o022) !== 0)
    return { what: 'can be written to by other users', fix: (path) => `chmod go-w ${quote(path)}` }
  return null
}

const unsafeError = (path: string, { what, fix }: { what: string; fix: (path: string) => string }): GsdError =>
  new GsdError('STATE_CACHE_UNSAFE', `the folder ${quote(path)} of the cache ${what}, so nothing in it is used`, {
    hint: `${fix(path)}, or set XDG_CACHE_HOME to a folder of yours`,
    details: { path },
  })

/** Whether a path is the cache, lies in it, or is a folder that the cache lies in. */
export const isBesideCache = (cache: string, path: string): boolean =>
  path === cache || path.startsWith(`${cache}${sep}`) || cache.startsWith(`${path}${path === dirname(path) ? '' : sep}`)
