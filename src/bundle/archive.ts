import { createHash } from 'node:crypto'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Disk } from '../store/disk.ts'
import { isSameFile, openRegular, readHead, type OpenFile } from './artifact.ts'
import { openAudit, type Accepted, type AuditedFile } from './audit.ts'
import type { BundleFile } from './bundle.ts'
import { changed, readFault } from './faults.ts'
import { openFileHash, type FileHash } from './file-hash.ts'
import { expectGzip } from './formats.ts'
import { gunzip } from './gunzip.ts'
import { integrityOf } from './integrity.ts'
import { LIMITS } from './limits.ts'
import type { FileSink, Listing } from './listing.ts'
import { tarReader } from './tar-reader.ts'

export interface ArchiveOptions {
  readonly disk: Disk
  readonly signal?: AbortSignal | undefined
  /** The integrity that was verified: the bytes read here must have it too. */
  readonly integrity?: string | undefined
}

/**
 * Reads a whole .tgz, judges every entry and hashes every file. Up to 16 MiB the content stays in memory, so that it is
 * decompressed once; above that, `play` reads the archive again, and it must be the same to the byte.
 * Throws ARCHIVE_*, FETCH_*, INTEGRITY_MISMATCH, INTERRUPTED.
 */
export const listArchive = async (file: string, options: ArchiveOptions): Promise<Listing> => {
  const kept: { readonly file: BundleFile; readonly chunks: readonly Uint8Array[] }[] = []
  const files: BundleFile[] = []
  let chunks: Uint8Array[] = []
  let hash: FileHash | null = null
  let bytes = 0
  const { accepted, integrity } = await readArchive(file, options, {
    begin(entry) {
      hash = openFileHash(entry)
      chunks = []
    },
    data(chunk) {
      hash?.take(chunk)
      bytes += chunk.length
      if (bytes <= LIMITS.inMemory) chunks.push(chunk)
      else kept.length = chunks.length = 0
    },
    end() {
      if (hash === null) return
      const done = hash.result()
      files.push(done)
      if (bytes <= LIMITS.inMemory) kept.push({ file: done, chunks })
    },
  })
  if (options.integrity !== undefined && options.integrity !== integrity) {
    throw new GsdError('INTEGRITY_MISMATCH', `${quote(file)} is no longer the file that was verified`, {
      hint: 'run the command again when nothing writes to it',
    })
  }
  return {
    ...accepted,
    async play(wants, sink) {
      if (bytes > LIMITS.inMemory) await replay(file, options, { files, integrity, wants, sink })
      else for (const one of kept) if (wants(one.file.path)) send(one.file, one.chunks, sink)
    },
  }
}

const send = (file: BundleFile, chunks: readonly Uint8Array[], sink: FileSink): void => {
  sink.begin(file, file)
  for (const chunk of chunks) sink.data(chunk)
  sink.end()
}

interface Replay {
  readonly files: readonly BundleFile[]
  /** Of the archive when it was judged. */
  readonly integrity: string
  readonly wants: (path: string) => boolean
  readonly sink: FileSink
}

/** The second reading of a large archive. The last byte decides whether it is the one that was judged. */
const replay = async (file: string, options: ArchiveOptions, judged: Replay): Promise<void> => {
  const { files, wants, sink } = judged
  let at = 0
  let wanted = false
  const { integrity } = await readArchive(file, options, {
    begin(entry) {
      const known = files[at++]
      if (known?.path !== entry.path) throw changed(file)
      wanted = wants(entry.path)
      if (wanted) sink.begin(entry, known)
    },
    data(chunk) {
      if (wanted) sink.data(chunk)
    },
    end() {
      if (wanted) sink.end()
    },
  })
  if (integrity !== judged.integrity) throw changed(file)
}

interface Reading {
  readonly accepted: Accepted
  /** `sha512-…` over all packed bytes. */
  readonly integrity: string
}

/** Reads an archive from its first byte to its last; the files that pass go to the sink. */
const readArchive = async (file: string, options: ArchiveOptions, sink: FileSink): Promise<Reading> => {
  const open = openRegular(options.disk, file)
  try {
    return await readOpenArchive(file, open, options, sink)
  } catch (error) {
    throw readFault(error, file)
  } finally {
    options.disk.closeSync(open.fd)
  }
}

const readOpenArchive = async (
  file: string,
  open: OpenFile,
  options: ArchiveOptions,
  sink: FileSink,
): Promise<Reading> => {
  const { disk, signal } = options
  expectGzip(readHead(disk, open.fd, 512), file)
  const audit = openAudit(open.stats.size)
  let current: AuditedFile | null = null
  const reader = tarReader({
    entry(entry) {
      current = audit.add(entry)
      if (current !== null) sink.begin(current)
    },
    data(chunk) {
      if (current !== null) sink.data(chunk)
    },
    end() {
      if (current !== null) sink.end()
    },
    overhead: (bytes) => audit.overhead(bytes),
  })
  const hash = createHash('sha512')
  const onPacked = (chunk: Buffer): void => void hash.update(chunk)
  for await (const chunk of gunzip(disk, open.fd, { signal, onPacked })) reader.write(chunk)
  reader.finish()
  if (!isSameFile(open.stats, disk.fstatSync(open.fd))) throw changed(file)
  return { accepted: audit.finish(), integrity: integrityOf(hash.digest()) }
}
