import type { Stats } from 'node:fs'
import type { SourceEntry } from './bundle.ts'

/** What an entry on disk is, by lstat. */
export const entryTypeOf = (stats: Stats): SourceEntry['type'] => {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'symlink'
  if (stats.isFIFO()) return 'fifo'
  if (stats.isSocket()) return 'socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'device' : 'other'
}

/** The owner-executable bit of a file. */
export const isExecutable = (stats: Stats): boolean => stats.isFile() && (stats.mode & 0o100) !== 0

/** What no bundle holds, with the words that end the sentence "`<path>` …". */
export const TYPE_DESCRIPTIONS = {
  symlink: 'is a symbolic link',
  link: 'is a hard link',
  device: 'is a device',
  fifo: 'is a FIFO',
  socket: 'is a socket',
  other: 'is neither a file nor a folder',
} as const satisfies Record<Exclude<SourceEntry['type'], 'file' | 'directory'>, string>
