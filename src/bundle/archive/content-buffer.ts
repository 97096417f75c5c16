import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeAll } from '../../platform/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../../platform/folders.ts'
import { LIMITS } from '../limits.ts'
import { readRange } from '../open-file.ts'

/** Holds the content of files while their archive is checked. */
export interface ContentBuffer {
  /** The next pieces belong to a new file. */
  startFile(): void
  /** Stores a piece. Throws STATE_*. */
  write(chunk: Uint8Array): void
  /** Sends the content of the nth file; `take` must not keep a piece. Throws STATE_*. */
  sendFile(index: number, take: (chunk: Uint8Array) => void): void
  close(): void
}

/**
 * Keeps up to 4 MiB in memory. More goes to a file that is unlinked as soon as it is open: no other program can open it,
 * and it ends with the process.
 * @param folder on the disk that the files are going to; created if missing
 */
export const createContentBuffer = (disk: Disk, folder: string): ContentBuffer => {
  const starts: number[] = []
  let memory: Uint8Array[][] | null = []
  let scratch: ScratchFile | null = null
  let bytes = 0
  const spill = (parts: readonly Uint8Array[][]): void => {
    scratch = openScratchFile(disk, folder)
    memory = null
    for (const part of parts.flat()) scratch.write(part)
  }
  return {
    startFile() {
      starts.push(bytes)
      memory?.push([])
    },
    write(chunk) {
      bytes += chunk.length
      if (memory !== null && bytes > LIMITS.inMemory) spill(memory)
      if (scratch === null) memory?.at(-1)?.push(chunk)
      else scratch.write(chunk)
    },
    sendFile(index, take) {
      if (scratch === null) for (const chunk of memory?.[index] ?? []) take(chunk)
      else scratch.read(starts[index] ?? 0, starts[index + 1] ?? bytes, take)
    },
    close: () => scratch?.close(),
  }
}

interface ScratchFile {
  write(chunk: Uint8Array): void
  read(from: number, to: number, take: (chunk: Uint8Array) => void): void
  close(): void
}

const openScratchFile = (disk: Disk, folder: string): ScratchFile => {
  const made = ensureFolder(disk, folder)
  try {
    const fd = openUnlinkedFile(disk, join(folder, `.${randomBytes(9).toString('hex')}`))
    return {
      write: (chunk) => withDiskErrors('write below', folder, () => writeAll(disk, fd, chunk)),
      read: (from, to, take) =>
        void withDiskErrors('read below', folder, () => readRange(disk, fd, { from, to }, take)),
      close() {
        withDiskErrors('close below', folder, () => disk.closeSync(fd))
        removeEmptyFolders(disk, made)
      },
    }
  } catch (error) {
    removeEmptyFolders(disk, made)
    throw error
  }
}

const openUnlinkedFile = (disk: Disk, path: string): number => {
  const fd = withDiskErrors('create', path, () => disk.openSync(path, 'wx+', 0o600))
  try {
    withDiskErrors('delete', path, () => disk.unlinkSync(path))
    return fd
  } catch (error) {
    disk.closeSync(fd)
    throw error
  }
}
