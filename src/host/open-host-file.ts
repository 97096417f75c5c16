import { constants } from 'node:fs'
import { errnoOf, GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { shellWord } from '../shell-word.ts'
import type { Disk } from '../store/disk.ts'
import { readAll, uninterrupted } from '../store/write-all.ts'
import type { HostText } from './host-text.ts'
import { realFileOf } from './real-file.ts'
import { hashOfText } from './text-hash.ts'
import { decodeUtf8 } from './utf8.ts'

/** A settings file larger than this is not one. */
export const LARGEST_HOST_FILE = 16 * 1024 * 1024

/** What a host's file is opened for: only to look whether something stands in it, or to have it changed. */
export type HostAccess = 'look' | 'change'

/**
 * Reads a host's file by the rules of the security page, "Settings files": links are followed to the real file; what is
 * not a regular file is refused without being opened; so are files with a second hard link, without an owner-write bit
 * (also for root), too large, not readable and writable, or not UTF-8. An absent file is fine. Looking needs no more than
 * to read it.
 * @throws HOST_SETTINGS_FILE, for bytes that are not UTF-8 with line and column.
 */
export const openHostFile = (disk: Disk, path: string, access: HostAccess = 'change'): HostText => {
  const { file, missingFolders } = realFileOf(disk, path)
  const bytes = missingFolders.length > 0 ? null : readSettled(disk, { file, path, access })
  if (bytes === null) return { file, text: null, hash: null, mode: null, missingFolders }
  const text = decodeUtf8(bytes.content)
  if (typeof text !== 'string') {
    const { line, column } = text
    const hint = `save it as UTF-8; the first bad byte is at line ${line}, column ${column}`
    throw refused({ file, path, access }, 'is not UTF-8', hint, { line, column })
  }
  return { file, text, hash: hashOfText(text), mode: bytes.mode, missingFolders }
}

/** A file by its real path, and as it was asked for. */
interface Named {
  readonly file: string
  readonly path: string
  readonly access: HostAccess
}

/** A host that writes the file at this very moment is done in a moment; one that never is, is not waited for. */
const readSettled = (disk: Disk, named: Named): ReturnType<typeof readWhole> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readWhole(disk, named)
    } catch (error) {
      if (!(error instanceof GsdError && error.code === 'HOST_SETTINGS_CHANGED') || attempt === MOST_ATTEMPTS)
        throw error
    }
  }
}

const MOST_ATTEMPTS = 5

const readWhole = (disk: Disk, named: Named): { content: Buffer; mode: number } | null => {
  const { file, access } = named
  const how = access === 'look' ? constants.O_RDONLY : constants.O_RDWR
  try {
    judge(named, disk.lstatSync(file))
    // Not blocking: the name may have become a FIFO since. Writable: what cannot be written is refused now, not midway.
    const fd = uninterrupted(() => disk.openSync(file, how | constants.O_NONBLOCK | constants.O_NOFOLLOW))
    try {
      const stats = disk.fstatSync(fd)
      judge(named, stats)
      const content = readAll(disk, fd, LARGEST_HOST_FILE)
      if (content.length !== stats.size) throw beingWritten(file)
      return { content, mode: stats.mode & 0o7777 }
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    const code = errnoOf(error)
    if (error instanceof GsdError) throw error
    if (code === 'ENOENT') return null
    const [what, whom] = access === 'look' ? ['read', 'read'] : ['read and written', 'write']
    throw refused(named, `cannot be ${what} (${code ?? 'unknown error'})`, `check who may ${whom} ${file}`, {}, error)
  }
}

type Stats = ReturnType<Disk['lstatSync']>

const judge = (named: Named, stats: Stats): void => {
  const { file, access } = named
  if (!stats.isFile())
    throw refused(named, `is ${kindOf(stats)}, not a regular file`, 'put a regular file in its place')
  if (access === 'change' && stats.nlink > 1) {
    throw refused(
      named,
      `has ${stats.nlink} hard links, and replacing it would part them`,
      'copy it to a file of its own, or use a symbolic link',
    )
  }
  if (access === 'change' && (stats.mode & 0o200) === 0)
    throw refused(named, 'is write-protected', `chmod u+w ${shellWord(file)}`)
  if (stats.size > LARGEST_HOST_FILE)
    throw refused(named, `is ${stats.size} bytes, too large for settings`, 'check what is in it')
}

const kindOf = (stats: Stats): string => {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isSymbolicLink() ? 'a link' : 'a device'
}

const beingWritten = (file: string): GsdError =>
  new GsdError('HOST_SETTINGS_CHANGED', `${quote(file)} was being written while it was read`, {
    hint: 'run the command again; nothing was written',
    details: { file },
  })

const refused = ({ file, path }: Named, what: string, hint: string, place: object = {}, cause?: unknown): GsdError =>
  new GsdError(
    'HOST_SETTINGS_FILE',
    file === path ? `${quote(file)} ${what}` : `${quote(path)} leads to ${quote(file)}, which ${what}`,
    { hint, details: { file, ...place }, cause },
  )
