import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { onDisk } from '../store/disk-error.ts'
import type { Disk } from '../store/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../store/folders.ts'
import { writeAll } from '../store/write-all.ts'
import { readRange } from './artifact.ts'
import { LIMITS } from './limits.ts'

/** Where the content of files waits while the archive that holds them is judged. */
export interface ContentStore {
  /** What is put from now on belongs to the next file. */
  begin(): void
  /** A piece, which is kept. Throws STATE_*. */
  put(chunk: Uint8Array): void
  /** Sends the content of the nth file; no piece is to be kept. Throws STATE_*. */
  send(index: number, take: (chunk: Uint8Array) => void): void
  close(): void
}

/**
 * Keeps up to 4 MiB in memory. What is more goes to a file that has no name any more as soon as it is open: nobody finds
 * it, and it goes with the process.
 * @param folder on the disk to which the files are going; need not be there
 */
export const contentStore = (disk: Disk, folder: string): ContentStore => {
  const starts: number[] = []
  let memory: Uint8Array[][] | null = []
  let scratch: Scratch | null = null
  let bytes = 0
  const spill = (parts: readonly Uint8Array[][]): void => {
    scratch = openScratch(disk, folder)
    memory = null
    for (const part of parts.flat()) scratch.write(part)
  }
  return {
    begin() {
      starts.push(bytes)
      memory?.push([])
    },
    put(chunk) {
      bytes += chunk.length
      if (memory !== null && bytes > LIMITS.inMemory) spill(memory)
      if (scratch === null) memory?.at(-1)?.push(chunk)
      else scratch.write(chunk)
    },
    send(index, take) {
      if (scratch === null) for (const chunk of memory?.[index] ?? []) take(chunk)
      else scratch.read(starts[index] ?? 0, starts[index + 1] ?? bytes, take)
    },
    close: () => scratch?.close(),
  }
}

interface Scratch {
  write(chunk: Uint8Array): void
  read(from: number, to: number, take: (chunk: Uint8Array) => void): void
  close(): void
}

const openScratch = (disk: Disk, folder: string): Scratch => {
  const made = ensureFolder(disk, folder)
  try {
    const fd = openNameless(disk, join(folder, `.${randomBytes(9).toString('hex')}`))
    return {
      write: (chunk) => onDisk('write below', folder, () => writeAll(disk, fd, chunk)),
      read: (from, to, take) => void onDisk('read below', folder, () => readRange(disk, fd, { from, to }, take)),
      close() {
        onDisk('close below', folder, () => disk.closeSync(fd))
        removeEmptyFolders(disk, made)
      },
    }
  } catch (error) {
    removeEmptyFolders(disk, made)
    throw error
  }
}

const openNameless = (disk: Disk, path: string): number => {
  const fd = onDisk('create', path, () => disk.openSync(path, 'wx+', 0o600))
  try {
    onDisk('delete', path, () => disk.unlinkSync(path))
    return fd
  } catch (error) {
    disk.closeSync(fd)
    throw error
  }
}
