import { constants } from 'node:fs'
import { errnoOf, GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { readAll, retryInterrupted } from '../../platform/disk.ts'
import { hashOfText } from '../../platform/hash.ts'
import { resolveRealFile } from '../../platform/real-path.ts'
import { decodeUtf8 } from '../../platform/text-file.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'

/** A larger file cannot be a settings file. */
export const MAX_HOST_FILE_BYTES = 16 * 1024 * 1024

/** What a host's file is opened for. */
export type HostAccess = 'read' | 'change'

/**
 * Reads a host's file by the rules of the security page, "Settings files": links are followed to the real file; what is
 * not a regular file is refused without being opened; so are files with a second hard link, without an owner-write bit
 * (also for root), too large, not readable and writable, or not UTF-8. An absent file is fine. With `read` the file need not be
 * editable.
 * @throws HOST_SETTINGS_FILE, for bytes that are not UTF-8 with line and column.
 */
export const openHostFile = (disk: Disk, path: string, access: HostAccess = 'change'): HostFileContent => {
  const { file, missingFolders } = resolveRealFile(disk, path)
  const bytes = missingFolders.length > 0 ? null : readStable(disk, { file, path, access })
  if (bytes === null) return { file, text: null, hash: null, mode: null, missingFolders }
  const text = decodeUtf8(bytes.content)
  if (typeof text !== 'string') {
    const { line, column } = text
    const hint = `save it as UTF-8; the first bad byte is at line ${line}, column ${column}`
    throw hostFileError({ file, path, access }, 'is not UTF-8', hint, { line, column })
  }
  return { file, text, hash: hashOfText(text), mode: bytes.mode, missingFolders }
}

/** A file by its real path, and as it was named. */
interface OpenRequest {
  readonly file: string
  readonly path: string
  readonly access: HostAccess
}

/** A host that is writing the file finishes within a few attempts, or not at all. */
const readStable = (disk: Disk, named: OpenRequest): ReturnType<typeof readOnce> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readOnce(disk, named)
    } catch (error) {
      if (!(error instanceof GsdError && error.code === 'HOST_SETTINGS_CHANGED') || attempt === MAX_READ_ATTEMPTS)
        throw error
    }
  }
}

const MAX_READ_ATTEMPTS = 5

const readOnce = (disk: Disk, named: OpenRequest): { content: Buffer; mode: number } | null => {
  const { file, access } = named
  const how = access === 'read' ? constants.O_RDONLY : constants.O_RDWR
  try {
    requireEditable(named, disk.lstatSync(file))
    // Non-blocking, for the name may be a FIFO by now. Writable, to refuse now what cannot be written later.
    const fd = retryInterrupted(() => disk.openSync(file, how | constants.O_NONBLOCK | constants.O_NOFOLLOW))
    try {
      const stats = disk.fstatSync(fd)
      requireEditable(named, stats)
      const content = readAll(disk, fd, MAX_HOST_FILE_BYTES)
      if (content.length !== stats.size) throw concurrentWriteError(file)
      return { content, mode: stats.mode & 0o7777 }
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    const code = errnoOf(error)
    if (error instanceof GsdError) throw error
    if (code === 'ENOENT') return null
    const [what, whom] = access === 'read' ? ['read', 'read'] : ['read and written', 'write']
    throw hostFileError(
      named,
      `cannot be ${what} (${code ?? 'unknown error'})`,
      `check who may ${whom} ${file}`,
      {},
      error,
    )
  }
}

type Stats = ReturnType<Disk['lstatSync']>

const requireEditable = (named: OpenRequest, stats: Stats): void => {
  const { file, access } = named
  if (!stats.isFile())
    throw hostFileError(named, `is ${fileKind(stats)}, not a regular file`, 'put a regular file in its place')
  if (access === 'change' && stats.nlink > 1) {
    throw hostFileError(
      named,
      `has ${stats.nlink} hard links, and replacing it would separate them`,
      'copy it to a file of its own, or use a symbolic link',
    )
  }
  if (access === 'change' && (stats.mode & 0o200) === 0)
    throw hostFileError(named, 'is write-protected', `chmod u+w ${shellQuote(file)}`)
  if (stats.size > MAX_HOST_FILE_BYTES)
    throw hostFileError(named, `is ${stats.size} bytes, too large for settings`, 'check what is in it')
}

const fileKind = (stats: Stats): string => {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isSymbolicLink() ? 'a link' : 'a device'
}

const concurrentWriteError = (file: string): GsdError =>
  new GsdError('HOST_SETTINGS_CHANGED', `${quote(file)} was being written while it was read`, {
    hint: 'run the command again; nothing was written',
    details: { file },
  })

const hostFileError = (
  { file, path }: OpenRequest,
  what: string,
  hint: string,
  place: object = {},
  cause?: unknown,
): GsdError =>
  new GsdError(
    'HOST_SETTINGS_FILE',
    file === path ? `${quote(file)} ${what}` : `${quote(path)} leads to ${quote(file)}, which ${what}`,
    { hint, details: { file, ...place }, cause },
  )

/** A host's file as it was read, with links followed. */
export interface HostFileContent {
  /** Real path, for writing never replaces a link. */
  readonly file: string
  /** Null: there is no file. A BOM is part of the text. */
  readonly text: string | null
  /** Hex sha512 of the bytes; null: there is no file. */
  readonly hash: string | null
  /** Permission bits of the file; null: there is no file. */
  readonly mode: number | null
  /** Folders to create for it, outermost first. */
  readonly missingFolders: readonly string[]
}
