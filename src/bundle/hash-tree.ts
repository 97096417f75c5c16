import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { formatSize } from '../format-size.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { diskError, isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { BundleFile } from './bundle.ts'
import { entryTypeOf, isExecutable, TYPE_DESCRIPTIONS } from './bundle.ts'
import { compareUtf8 } from './byte-order.ts'
import { createFileHash } from './file-hash.ts'
import { LIMITS } from './limits.ts'
import { captureManifest } from './manifest-bytes.ts'
import { readListedFile } from './open-file.ts'
import { toReadError } from './read-errors.ts'

const FILE_ERROR_CODES = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'] as const

/** An installed bundle as it is on disk. */
export interface HashedTree {
  /** Regular files, sorted by the bytes of their UTF-8 paths. Nothing is skipped: added files count. */
  readonly files: readonly BundleFile[]
  /** Bytes of `capability.json`, one more than the limit at most; null if it is missing. */
  readonly manifest: Uint8Array | null
  /** Sentences about what a bundle cannot hold (links, devices, …) or what could not be read. */
  readonly unexpected: readonly string[]
}

/**
 * Hashes every file below `dir`. Follows no link, opens nothing but regular files, and stops at the limits of a bundle.
 * Modes are those on disk.
 * @throws STATE_* if `dir` itself cannot be listed; STATE_CHANGED and FETCH_UNREADABLE if it changes while it is read
 */
export const hashTree = (dir: string, disk: Disk): HashedTree => {
  const files: BundleFile[] = []
  const unexpected: string[] = []
  const manifest = captureManifest()
  let entries = 0
  let bytes = 0

  /** These return false when a limit is exceeded, which ends the walk. */
  const walk = (folder: string, names: readonly string[]): boolean =>
    names.toSorted(compareUtf8).every((name) => visit(folder === '' ? name : `${folder}/${name}`))

  const visit = (path: string): boolean => {
    if (++entries > LIMITS.entries) return stop(`there are more than ${LIMITS.entries} entries`)
    const absolute = join(dir, path)
    const stats = attempt(absolute, () => disk.lstatSync(absolute))
    if (stats === null) return true
    const type = entryTypeOf(stats)
    if (type === 'file') return visitFile(path, stats)
    if (type !== 'directory') return note(`${quote(path)} ${TYPE_DESCRIPTIONS[type]}`)
    if (Buffer.byteLength(path) > LIMITS.path) return note(`${quote(path)} is too deep`)
    return walk(path, attempt(absolute, () => disk.readdirSync(absolute)) ?? [])
  }

  const visitFile = (path: string, stats: Stats): boolean => {
    if (stats.size > LIMITS.file) return note(`${quote(path)} is larger than ${formatSize(LIMITS.file)}`)
    bytes += stats.size
    if (bytes > LIMITS.unpacked) return stop(`the files are larger than ${formatSize(LIMITS.unpacked)} together`)
    const hash = createFileHash({ path, size: stats.size, executable: isExecutable(stats) })
    const absolute = join(dir, path)
    const done = attempt(absolute, () => {
      readListedFile(disk, { path: absolute, stats }, (chunk) => {
        hash.update(chunk)
        if (path === MANIFEST_FILE) manifest.update(chunk)
      })
      return true
    })
    if (done === true) files.push(hash.result())
    return true
  }

  const attempt = <T>(absolute: string, work: () => T): T | null => {
    try {
      return work()
    } catch (error) {
      // A file that cannot be opened is a fact about the bundle. One that changes meanwhile, or a machine that cannot read
      // now, is not, and the hash would be of a state that never existed.
      const cause = error instanceof GsdError ? error.cause : error
      if (cause === undefined) throw error
      const isOfTheFile =
        isErrno(cause, ...FILE_ERROR_CODES) && (cause as NodeJS.ErrnoException).syscall?.startsWith('read') !== true
      if (errnoOf(cause) !== undefined && !isOfTheFile) throw diskError(cause, 'read', absolute)
      const fault = toReadError(error, absolute)
      if (!(fault instanceof GsdError)) throw error
      note(fault.message)
      return null
    }
  }

  const note = (sentence: string): true => {
    unexpected.push(sentence)
    return true
  }

  const stop = (sentence: string): false => {
    unexpected.push(sentence)
    return false
  }

  const type = entryTypeOf(withDiskErrors('read', dir, () => disk.lstatSync(dir)))
  if (type !== 'directory')
    stop(`${quote(dir)} ${type === 'file' ? 'is a file' : TYPE_DESCRIPTIONS[type]}, not a folder`)
  else
    walk(
      '',
      withDiskErrors('list', dir, () => disk.readdirSync(dir)),
    )
  files.sort((a, b) => compareUtf8(a.path, b.path))
  return { files, manifest: files.some((file) => file.path === MANIFEST_FILE) ? manifest.bytes() : null, unexpected }
}
