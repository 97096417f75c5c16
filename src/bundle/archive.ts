import { createHash } from 'node:crypto'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Disk } from '../store/disk.ts'
import { isSameFile, openRegular, readHead, type OpenFile } from './artifact.ts'
import { openAudit, type Accepted, type AuditedFile } from './audit.ts'
import { changed, readFault } from './faults.ts'
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
 * Reads a whole .tgz and judges every entry. Up to 16 MiB the content stays in memory, so that it is decompressed once;
 * above that, `play` reads the archive again and compares it with what was judged.
 * Throws ARCHIVE_*, FETCH_*, INTEGRITY_MISMATCH, INTERRUPTED.
 */
export const listArchive = async (file: string, options: ArchiveOptions): Promise<Listing> => {
  const kept: { file: AuditedFile; chunks: Uint8Array[] }[] = []
  let bytes = 0
  const accepted = await readArchive(file, options, {
    begin(entry) {
      if (bytes <= LIMITS.inMemory) kept.push({ file: entry, chunks: [] })
    },
    data(chunk) {
      bytes += chunk.length
      if (bytes <= LIMITS.inMemory) kept.at(-1)?.chunks.push(chunk)
      else kept.length = 0
    },
    end() {},
  })
  return {
    ...accepted,
    async play(wants, sink) {
      if (bytes > LIMITS.inMemory) await replay(file, options, { files: accepted.files, wants, sink })
      else for (const one of kept) if (wants(one.file.path)) send(one.file, one.chunks, sink)
    },
  }
}

const send = (file: AuditedFile, chunks: readonly Uint8Array[], sink: FileSink): void => {
  sink.begin(file)
  for (const chunk of chunks) sink.data(chunk)
  sink.end()
}

interface Replay {
  readonly files: readonly AuditedFile[]
  readonly wants: (path: string) => boolean
  readonly sink: FileSink
}

/** The second reading of a large archive. What comes must be what was judged, file by file. */
const replay = async (file: string, options: ArchiveOptions, { files, wants, sink }: Replay): Promise<void> => {
  let at = 0
  let wanted = false
  await readArchive(file, options, {
    begin(entry) {
      const judged = files[at++]
      if (judged?.path !== entry.path || judged.size !== entry.size || judged.executable !== entry.executable) {
        throw changed(file)
      }
      wanted = wants(entry.path)
      if (wanted) sink.begin(entry)
    },
    data(chunk) {
      if (wanted) sink.data(chunk)
    },
    end() {
      if (wanted) sink.end()
    },
  })
  if (at !== files.length) throw changed(file)
}

/** Reads an archive from its first byte to its last; the files that pass go to the sink. */
const readArchive = async (file: string, options: ArchiveOptions, sink: FileSink): Promise<Accepted> => {
  const open = openRegular(options.disk, file)
  try {
    return await readOpenArchive(file, open, options, sink)
  } catch (error) {
    throw readFault(error, file)
  } finally {
    options.disk.closeSync(open.fd)
  }
}

const readOpenArchive = async (file: string, open: OpenFile, options: ArchiveOptions, sink: FileSink): Promise<Accepted> => {
  const { disk, signal, integrity } = options
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
  const onPacked = integrity === undefined ? undefined : (chunk: Buffer) => void hash.update(chunk)
  for await (const chunk of gunzip(disk, open.fd, { signal, onPacked })) reader.write(chunk)
  reader.finish()
  if (!isSameFile(open.stats, disk.fstatSync(open.fd))) throw changed(file)
  if (integrity !== undefined && integrityOf(hash.digest()) !== integrity) {
    throw new GsdError('INTEGRITY_MISMATCH', `${quote(file)} is no longer the file that was verified`)
  }
  return audit.finish()
}
