import type { ReadEntry } from 'tar'
import type { GsdError } from '../../errors.ts'
import type { SourceEntry } from '../bundle.ts'
import { ambiguousEntryError, corruptArchiveError } from './archive-errors.ts'
import { createTarReader, type TarReader, type TarSink } from './tar-reader.ts'

/**
 * Our tar reader with node-tar's strict parser behind it: both read every byte and must report the same entries, so an
 * archive cannot mean two things (docs/explanation/reading-archives.md).
 * @throws ARCHIVE_UNSAFE with the rule `second-reader`, and what our reader throws
 */
export const createCheckedReader = async (sink: TarSink): Promise<TarReader> => {
  const { Parser } = await import('tar/parse')
  const expected: SourceEntry[] = []
  let failure: GsdError | null = null
  let ended = false
  let held: Buffer | null = null
  const reader = createTarReader({
    ...sink,
    entry(entry) {
      sink.entry(entry)
      expected.push(entry)
    },
  })
  const parser = new Parser({ strict: true, brotli: false, zstd: false })
  parser.on('error', (error: Error) => {
    failure ??= corruptArchiveError('second-reader', `the archive is damaged: node-tar reports ${error.message}`)
  })
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    failure ??= ambiguousEntryError(entry.path, 'node-tar ignores it')
  })
  parser.on('entry', (entry: ReadEntry) => {
    failure ??= compareEntries(expected.shift(), entry)
    entry.resume()
  })
  // The parser keeps what follows the end in memory. Our reader allows only zeros there.
  parser.on('eof', () => void (ended = true))

  const throwFailure = (): void => {
    if (failure !== null) throw failure
  }

  return {
    write(chunk) {
      reader.write(chunk)
      held = held === null ? chunk : Buffer.concat([held, chunk])
      // The parser decodes each piece of an extended header on its own, which breaks a character that two pieces share.
      if (reader.isInExtendedHeader()) return
      const bytes = held
      held = null
      if (!ended) parser.write(bytes)
      throwFailure()
    },
    isInExtendedHeader: reader.isInExtendedHeader,
    finish() {
      reader.finish()
      const [missing] = expected
      if (missing !== undefined) throw ambiguousEntryError(missing.path, 'node-tar does not see it')
      if (!ended) throw corruptArchiveError('second-reader', 'the archive is damaged: node-tar finds no end')
    },
  }
}

const TYPES: Readonly<Record<string, SourceEntry['type']>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'directory',
  Link: 'link',
  SymbolicLink: 'symlink',
  CharacterDevice: 'device',
  BlockDevice: 'device',
  FIFO: 'fifo',
}

const compareEntries = (ours: SourceEntry | undefined, { header, type, path }: ReadEntry): GsdError | null => {
  if (ours === undefined) return ambiguousEntryError(path, 'only node-tar sees it')
  const theirs: SourceEntry = {
    path,
    type: TYPES[type] ?? 'other',
    size: header.size ?? 0,
    executable: ((header.mode ?? 0) & 0o100) !== 0,
  }
  const member = (['path', 'type', 'size', 'executable'] as const).find((key) => ours[key] !== theirs[key])
  return member === undefined
    ? null
    : ambiguousEntryError(ours.path, `${member} ${String(ours[member])} or ${String(theirs[member])}`)
}
