import { constants } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { GsdError } from '../../errors.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import type { BundleFile } from '../bundle.ts'
import { createFileHash, type FileHash } from '../file-hash.ts'
import { createIntegrityHash } from '../integrity.ts'
import type { Listing } from '../listing.ts'
import { isSameFile, openRegularFile, readAll, readFirstBytes, type OpenFile } from '../open-file.ts'
import { changedWhileReadError, toReadError } from '../read-errors.ts'
import { startAudit, type AcceptedEntries } from './audit.ts'
import { createCheckedReader } from './checked-reader.ts'
import { createContentBuffer, type ContentBuffer } from './content-buffer.ts'
import { gunzip } from './gunzip.ts'
import { requireGzip } from './require-gzip.ts'

export interface ArchiveOptions {
  readonly disk: Disk
  readonly signal?: AbortSignal | undefined
  /** The verified integrity; the bytes read here must have it too. */
  readonly integrity?: string | undefined
  /** Folder for the content of a large archive; created if missing. */
  readonly scratchFolder: string
}

/** Holds the unpacked content until it is closed. */
export interface ArchiveListing extends Listing {
  /** `sha512-…` over all packed bytes. */
  readonly integrity: string
  close(): void
}

/**
 * Reads a whole .tgz once, checks every entry and hashes every file. The content is held until the last byte has passed.
 * Throws ARCHIVE_*, FETCH_*, INTEGRITY_MISMATCH, INTERRUPTED, STATE_*.
 */
export const listArchive = async (file: string, options: ArchiveOptions): Promise<ArchiveListing> => {
  const contents = createContentBuffer(options.disk, options.scratchFolder)
  try {
    const { accepted, integrity, files } = await readArchive(file, options, contents)
    if (options.integrity !== undefined && options.integrity !== integrity) {
      throw new GsdError('INTEGRITY_MISMATCH', `${quote(file)} is no longer the file that was verified`, {
        hint: 'run the command again when nothing writes to it',
      })
    }
    return {
      ...accepted,
      integrity,
      sendFiles: async (wants, sink) => {
        for (const [index, known] of files.entries()) {
          if (!wants(known.path)) continue
          // Signals are handled in between.
          if (index % 64 === 0) await setImmediate()
          const content = contents.contentOf(index)
          if (content.kind === 'file' && sink.move?.(known, content.path) === true) continue
          sink.begin(known, known)
          if (content.kind === 'chunks') for (const chunk of content.chunks) sink.data(chunk)
          else sendFile(options.disk, content.path, (chunk) => sink.data(chunk))
          sink.end()
        }
      },
      close: contents.close,
    }
  } catch (error) {
    contents.close()
    throw error
  }
}

const sendFile = (disk: Disk, path: string, take: (chunk: Uint8Array) => void): void =>
  withDiskErrors('read', path, () => {
    const fd = disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      readAll(disk, fd, take)
    } finally {
      disk.closeSync(fd)
    }
  })

interface ArchiveScan {
  readonly accepted: AcceptedEntries
  /** `sha512-…` over all packed bytes. */
  readonly integrity: string
  /** In the order of their content. */
  readonly files: readonly BundleFile[]
}

/** Reads an archive from its first byte to its last and keeps the content of files that pass. */
const readArchive = async (file: string, options: ArchiveOptions, contents: ContentBuffer): Promise<ArchiveScan> => {
  const open = openRegularFile(options.disk, file)
  try {
    try {
      return await readOpenArchive(file, open, options, contents)
    } finally {
      options.disk.closeSync(open.fd)
    }
  } catch (error) {
    throw toReadError(error, file)
  }
}

const readOpenArchive = async (
  file: string,
  open: OpenFile,
  options: ArchiveOptions,
  contents: ContentBuffer,
): Promise<ArchiveScan> => {
  const { disk, signal } = options
  requireGzip(readFirstBytes(disk, open.fd, 512), file)
  const audit = startAudit(open.stats.size)
  const files: BundleFile[] = []
  let current: FileHash | null = null
  const reader = await createCheckedReader({
    entry(entry) {
      const accepted = audit.add(entry)
      current = accepted === null ? null : createFileHash(accepted)
      if (current !== null) contents.startFile()
    },
    data(chunk) {
      if (current === null) return
      current.update(chunk)
      contents.write(chunk)
    },
    end() {
      if (current !== null) files.push(current.result())
    },
    countOverhead: (bytes) => audit.countOverhead(bytes),
  })
  const hash = createIntegrityHash()
  const onPacked = (chunk: Buffer): void => hash.update(chunk)
  for await (const chunk of gunzip(disk, open.fd, { signal, onPacked })) reader.write(chunk)
  reader.finish()
  if (!isSameFile(open.stats, disk.fstatSync(open.fd))) throw changedWhileReadError(file)
  return { accepted: audit.finish(), integrity: hash.digest(), files }
}
