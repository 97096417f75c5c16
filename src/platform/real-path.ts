import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import type { Disk } from './disk.ts'

/** As many links as any system follows. */
const MAX_LINKS = 40

/**
 * Resolves every link of an absolute path, also where its end does not exist yet: missing parts keep their names below the
 * real path of the existing ones. A dangling link resolves to the file that it would create. Never throws.
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

/** The real path of a file, and the folders that are missing on the way, outermost first. */
export interface RealFile {
  readonly file: string
  readonly missingFolders: readonly string[]
}

/**
 * Resolves every link of a path, also where the file or its folders do not exist yet.
 * @throws HOST_SETTINGS_FILE for a dangling link, a circle of links, and a file in place of a folder
 */
export const resolveRealFile = (disk: Disk, path: string): RealFile => {
  const found = realPathOrNull(disk, path)
  if (found !== null) return { file: found, missingFolders: [] }
  const folder = realFolder(disk, dirname(path))
  return { file: join(folder.file, basename(path)), missingFolders: folder.missingFolders }
}

const realFolder = (disk: Disk, path: string): RealFile => {
  const found = realPathOrNull(disk, path)
  if (found !== null) {
    const stats = wrapDiskError(path, () => disk.statSync(found))
    if (!stats.isDirectory()) throw invalidPathError(path, 'is not a folder')
    return { file: found, missingFolders: [] }
  }
  const parent = realFolder(disk, dirname(path))
  const file = join(parent.file, basename(path))
  return { file, missingFolders: [...parent.missingFolders, file] }
}

/** Null where the path does not exist, not even as a link. */
const realPathOrNull = (disk: Disk, path: string): string | null => {
  try {
    return disk.realpathSync(path)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ELOOP') {
      throw invalidPathError(path, 'is a link to itself', error, `remove the link: rm ${shellQuote(path)}`, BROKEN_LINK)
    }
    if (code === 'ENOTDIR') throw invalidPathError(path, 'is below a path that is not a folder', error)
    if (code !== 'ENOENT') throw unreadablePathError(path, error)
  }
  if (!isLink(disk, path)) return null
  const target = wrapDiskError(path, () => disk.readlinkSync(path))
  const hint = `create its target, or remove the link: rm ${shellQuote(path)}`
  throw invalidPathError(path, `is a link to ${quote(target)}, which does not exist`, undefined, hint, BROKEN_LINK)
}

const wrapDiskError = <T>(path: string, stat: () => T): T => {
  try {
    return stat()
  } catch (error) {
    throw unreadablePathError(path, error)
  }
}

const unreadablePathError = (path: string, error: unknown): GsdError =>
  invalidPathError(path, `cannot be resolved (${errnoOf(error) ?? 'unknown error'})`, error)

const isLink = (disk: Disk, path: string): boolean => {
  try {
    return disk.lstatSync(path).isSymbolicLink()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw unreadablePathError(path, error)
  }
}

const FIX_PATH_HINT = 'fix the path, then run the command again'

const BROKEN_LINK = { link: 'broken' }

/** Whether {@link resolveRealFile} met a dangling link or a circle of links. */
export const isBrokenLink = ({ details }: GsdError): boolean =>
  typeof details === 'object' && details !== null && 'link' in details

const invalidPathError = (
  path: string,
  what: string,
  cause?: unknown,
  hint = FIX_PATH_HINT,
  details: object = {},
): GsdError =>
  new GsdError('HOST_SETTINGS_FILE', `${quote(path)} ${what}`, {
    hint: `nothing was written; ${hint}`,
    details: { file: path, ...details },
    cause,
  })
