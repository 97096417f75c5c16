import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Disk } from '../store/disk.ts'
import { isSameFile, openRegular, readHead, type OpenFile } from './artifact.ts'
import { openAudit, type Accepted } from './audit.ts'
import type { BundleFile } from './bundle.ts'
import { contentStore, type ContentStore } from './content-store.ts'
import { changed, readFault } from './faults.ts'
import { openFileHash, type FileHash } from './file-hash.ts'
import { expectGzip } from './formats.ts'
import { gunzip } from './gunzip.ts'
import { integrityOf } from './integrity.ts'
import type { Listing } from './listing.ts'
import { tarReader } from './tar-reader.ts'

export interface ArchiveOptions {
  readonly disk: Disk
  readonly signal?: AbortSignal | undefined
  /** The integrity that was verified: the bytes read here must have it too. */
  readonly integrity?: string | undefined
  /** Folder in which the content of a large archive may wait; need not be there. */
  readonly scratch: string
}

/** Holds what was unpacked until it is closed. */
export interface ArchiveListing extends Listing {
  /** `sha512-…` over all packed bytes. */
  readonly integrity: string
  close(): void
}

/**
 * Reads a whole .tgz once, judges every entry and hashes every file. The content waits until the last byte has passed.
 * Throws ARCHIVE_*, FETCH_*, INTEGRITY_MISMATCH, INTERRUPTED, STATE_*.
 */
export const listArchive = async (file: string, options: ArchiveOptions): Promise<ArchiveListing> => {
  const contents = contentStore(options.disk, options.scratch)
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
      play: async (wants, sink) => {
        for (const [index, known] of files.entries()) {
          if (!wants(known.path)) continue
          // Whoever wants to stop us is heard in between.
          if (index % 64 === 0) await setImmediate()
          sink.begin(known, known)
          contents.send(index, (chunk) => sink.data(chunk))
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

interface Reading {
  readonly accepted: Accepted
  /** `sha512-…` over all packed bytes. */
  readonly integrity: string
  /** In the order of their content. */
  readonly files: readonly BundleFile[]
}

/** Reads an archive from its first byte to its last; the content of files that pass is kept. */
const readArchive = async (file: string, options: ArchiveOptions, contents: ContentStore): Promise<Reading> => {
  const open = openRegular(options.disk, file)
  try {
    try {
      return await readOpenArchive(file, open, options, contents)
    } finally {
      options.disk.closeSync(open.fd)
    }
  } catch (error) {
    throw readFault(error, file)
  }
}

const readOpenArchive = async (
  file: string,
  open: OpenFile,
  options: ArchiveOptions,
  contents: ContentStore,
): Promise<Reading> => {
  const { disk, signal } = options
  expectGzip(readHead(disk, open.fd, 512), file)
  const audit = openAudit(open.stats.size)
  const files: BundleFile[] = []
  let current: FileHash | null = null
  const reader = tarReader({
    entry(entry) {
      const accepted = audit.add(entry)
      current = accepted === null ? null : openFileHash(accepted)
      if (current !== null) contents.begin()
    },
    data(chunk) {
      if (current === null) return
      current.take(chunk)
      contents.put(chunk)
    },
    end() {
      if (current !== null) files.push(current.result())
    },
    overhead: (bytes) => audit.overhead(bytes),
  })
  const hash = createHash('sha512')
  const onPacked = (chunk: Buffer): void => void hash.update(chunk)
  for await (const chunk of gunzip(disk, open.fd, { signal, onPacked })) reader.write(chunk)
  reader.finish()
  if (!isSameFile(open.stats, disk.fstatSync(open.fd))) throw changed(file)
  return { accepted: audit.finish(), integrity: integrityOf(hash.digest()), files }
}
