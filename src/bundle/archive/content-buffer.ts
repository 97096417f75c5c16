import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeAll } from '../../platform/disk.ts'
import { ensureFolder, removeEmptyFolders, removeTree } from '../../platform/folders.ts'
import { LIMITS } from '../limits.ts'

/** Holds the content of files while their archive is checked. */
export interface ContentBuffer {
  /** The next pieces belong to a new file. */
  startFile(): void
  /** Stores a piece. Throws STATE_*. */
  write(chunk: Uint8Array): void
  /** The content of the nth file. Throws STATE_*. */
  contentOf(index: number): HeldContent
  /** Deletes what was not moved away. */
  close(): void
}

/** In memory, or in a file of mode 0600 that may be moved away. */
export type HeldContent =
  | { readonly kind: 'chunks'; readonly chunks: readonly Uint8Array[] }
  | { readonly kind: 'file'; readonly path: string }

/**
 * Keeps up to 4 MiB in memory. More goes into one file for each, in a folder that only this user can enter; each has a
 * number for its name, so that no name of the archive's choosing exists before everything is checked.
 * @param parent on the disk that the files are going to; created if missing
 */
export const createContentBuffer = (disk: Disk, parent: string): ContentBuffer => {
  let memory: Uint8Array[][] = []
  let folder: NumberedFiles | null = null
  let bytes = 0
  let count = 0
  return {
    startFile() {
      count += 1
      if (folder === null) memory.push([])
      else folder.startFile(count - 1)
    },
    write(chunk) {
      bytes += chunk.length
      if (folder !== null) return folder.write(chunk)
      memory.at(-1)?.push(chunk)
      if (bytes <= LIMITS.inMemory) return
      folder = openNumberedFiles(disk, parent)
      for (const [index, chunks] of memory.entries()) {
        folder.startFile(index)
        for (const each of chunks) folder.write(each)
      }
      memory = []
    },
    contentOf: (index) =>
      folder === null ? { kind: 'chunks', chunks: memory[index] ?? [] } : { kind: 'file', path: folder.pathOf(index) },
    close: () => folder?.close(),
  }
}

interface NumberedFiles {
  startFile(index: number): void
  write(chunk: Uint8Array): void
  /** Also ends the file that is being written. */
  pathOf(index: number): string
  close(): void
}

const openNumberedFiles = (disk: Disk, parent: string): NumberedFiles => {
  const made = ensureFolder(disk, parent)
  const folder = join(parent, `.${randomBytes(9).toString('hex')}`)
  let open: number | null = null
  const end = (): void => {
    if (open === null) return
    const fd = open
    open = null
    withDiskErrors('close below', folder, () => disk.closeSync(fd))
  }
  const pathOf = (index: number): string => join(folder, String(index))
  try {
    withDiskErrors('create the folder', folder, () => disk.mkdirSync(folder, 0o700))
  } catch (error) {
    removeEmptyFolders(disk, made)
    throw error
  }
  return {
    startFile(index) {
      end()
      open = withDiskErrors('create', pathOf(index), () => disk.openSync(pathOf(index), 'wx', 0o600))
    },
    write(chunk) {
      const fd = open
      if (fd !== null) withDiskErrors('write below', folder, () => writeAll(disk, fd, chunk))
    },
    pathOf(index) {
      end()
      return pathOf(index)
    },
    close() {
      end()
      removeTree(disk, folder)
      removeEmptyFolders(disk, made)
    },
  }
}
