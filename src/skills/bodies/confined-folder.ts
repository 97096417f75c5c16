import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, GsdError } from '../../errors.ts'
import { errnoReason } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'

/**
 * A folder below the skills root that was opened name by name, without following a link. Whatever is opened through it
 * lies in it, even when somebody replaces a folder on the way by a link meanwhile.
 */
export interface ConfinedFolder {
  /** Relative to the root, for messages; '' for the root itself. */
  readonly path: string
  /** Path of an entry that the system resolves from the open folder, where it can. */
  at(name: string): string
  /** A folder in this one. Throws POLICY_SKILL_CONFINED, STATE_SKILL_MISSING. */
  child(name: string): ConfinedFolder
  /** Throws POLICY_SKILL_CONFINED when a folder on the way was replaced; to be called before anything read is used. */
  check(): void
  close(): void
}

/**
 * Opens the root of a skills tree.
 * @param root Real path
 * @throws GsdError STATE_SKILL_MISSING
 */
export const openRoot = (disk: Disk, root: string): ConfinedFolder =>
  openFolder({ disk, anchored: canAnchor(disk) }, { path: '', from: root, real: root, parent: null })

/**
 * Opens a folder by its names below the root and closes it, and all on the way, when `work` is done.
 * @throws GsdError POLICY_SKILL_CONFINED, STATE_SKILL_MISSING
 */
export const withFolder = <T>(
  disk: Disk,
  root: string,
  segments: readonly string[],
  work: (folder: ConfinedFolder) => T,
): T => {
  const opened = [openRoot(disk, root)]
  try {
    let folder = opened[0] as ConfinedFolder
    for (const segment of segments) opened.push((folder = folder.child(segment)))
    const result = work(folder)
    folder.check()
    return result
  } finally {
    for (const folder of opened) folder.close()
  }
}

interface Means {
  readonly disk: Disk
  /** Whether an open folder can be addressed by its descriptor (Linux). */
  readonly anchored: boolean
}

interface Step {
  readonly path: string
  /** What is opened. */
  readonly from: string
  /** The path without descriptors, to look again. */
  readonly real: string
  readonly parent: ConfinedFolder | null
}

const DESCRIPTORS = '/proc/self/fd'
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const openFolder = (means: Means, { path, from, real, parent }: Step): ConfinedFolder => {
  const { disk, anchored } = means
  const before = entryStats(disk, from, path)
  if (!before.isDirectory()) throw odd(path, before.isSymbolicLink() ? 'is a link' : 'is not a folder')
  const fd = attempt(path, () => disk.openSync(from, FOLDER))
  let isOpen = true
  const at = (name: string): string => join(anchored ? `${DESCRIPTORS}/${fd}` : real, name)
  const check = (): void => {
    parent?.check()
    const now = anchored ? null : entryStats(disk, real, path)
    if (now !== null && !isSame(now, disk.fstatSync(fd))) throw odd(path, 'was replaced while it was read')
  }
  const child = (name: string): ConfinedFolder =>
    openFolder(means, { path: below(path, name), from: at(name), real: join(real, name), parent: self })
  const close = (): void => {
    if (isOpen) disk.closeSync(fd)
    isOpen = false
  }
  const self: ConfinedFolder = { path, at, child, check, close }
  return self
}

/** Path of an entry of a folder, relative to the root. */
export const below = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`)

/** lstat of an entry. Throws STATE_SKILL_MISSING. */
export const entryStats = (disk: Disk, address: string, path: string): Stats =>
  attempt(path, () => disk.lstatSync(address))

export const isSame = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino

/** What is not allowed about a file or folder, in words that follow its path. */
export const odd = (path: string, words: string): GsdError =>
  new GsdError('POLICY_SKILL_CONFINED', `${named(path)} ${words}`, {
    hint: 'put a plain file of its own there, in plain folders',
  })

const LINKED = new Set(['ELOOP', 'ENOTDIR', 'EMLINK'])

/** Calls the system; what it says against it is told without an absolute path. */
export const attempt = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const errno = errnoOf(error)
    if (error instanceof GsdError || errno === undefined) throw error
    if (LINKED.has(errno)) throw odd(path, 'is a link, or lies below what is no folder')
    const words = errno === 'ENOENT' ? 'is not there' : `cannot be read: ${errnoReason(errno).text}`
    throw new GsdError('STATE_SKILL_MISSING', `${named(path)} ${words}`, { hint: 'gsd skills check', cause: error })
  }
}

/** Whether an error of this room says that a file or folder does not exist, and nothing worse. */
export const isAbsent = (error: unknown): error is GsdError =>
  error instanceof GsdError && error.code === 'STATE_SKILL_MISSING' && errnoOf(error.cause) === 'ENOENT'

const named = (path: string): string => (path === '' ? 'the skills root' : quote(path))

const canAnchor = (disk: Disk): boolean => {
  try {
    return disk.statSync(DESCRIPTORS).isDirectory()
  } catch {
    return false
  }
}
