import { dirname, join } from 'node:path'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { pathExists, writeAll } from '../platform/disk.ts'
import type { AuditedFile } from './archive/audit.ts'
import type { BundleFile } from './bundle.ts'
import { createFileHash, type FileHash } from './file-hash.ts'
import type { FileSink } from './listing.ts'
import { captureManifest } from './manifest-bytes.ts'
import { parentFolder } from './path-rules.ts'

/** Writes a bundle into a new folder, hashes it meanwhile, and can undo everything. */
export interface TreeWriter extends FileSink {
  /** The files written so far, in the order of the source. */
  readonly files: readonly BundleFile[]
  /** The first bytes of `capability.json`, one more than the limit at most. */
  manifest(): Uint8Array
  /** Makes a written file executable. */
  makeExecutable(path: string): void
  /** Removes every file and folder that this writer created. Never throws. */
  undo(): void
}

interface OpenOutput {
  readonly file: AuditedFile
  readonly absolute: string
  readonly fd: number
  readonly known: BundleFile | FileHash
}

/** Creates `into`, which must not exist, and the missing folders above it. Throws STATE_*. */
export const createTreeWriter = (disk: Disk, into: string): TreeWriter => {
  const made: { readonly kind: 'file' | 'folder'; readonly path: string }[] = []
  const folders = new Set<string>([''])
  const files: BundleFile[] = []
  const manifest = captureManifest()
  let open: OpenOutput | null = null

  const makeFolder = (path: string): void =>
    withDiskErrors('create the folder', path, () => {
      disk.mkdirSync(path, 0o755)
      made.push({ kind: 'folder', path })
      // The umask of the process may have removed bits.
      disk.chmodSync(path, 0o755)
    })

  const makeParents = (path: string): void => {
    const parent = parentFolder(path)
    if (folders.has(parent)) return
    makeParents(parent)
    makeFolder(join(into, parent))
    folders.add(parent)
  }

  const writer: TreeWriter = {
    files,
    begin(file, known) {
      makeParents(file.path)
      const absolute = join(into, file.path)
      const fd = withDiskErrors('create', absolute, () =>
        disk.openSync(absolute, 'wx', file.executable ? 0o755 : 0o644),
      )
      made.push({ kind: 'file', path: absolute })
      open = { file, absolute, fd, known: known ?? createFileHash(file) }
    },
    data(chunk) {
      if (open === null) return
      const { fd, absolute, file, known } = open
      if ('update' in known) known.update(chunk)
      if (file.path === MANIFEST_FILE) manifest.update(chunk)
      withDiskErrors('write', absolute, () => writeAll(disk, fd, chunk))
    },
    end() {
      if (open === null) return
      const { fd, absolute, file, known } = open
      withDiskErrors('write', absolute, () => {
        disk.fchmodSync(fd, file.executable ? 0o755 : 0o644)
        open = null
        disk.closeSync(fd)
      })
      files.push('update' in known ? known.result() : known)
    },
    move(file, from) {
      if (file.path === MANIFEST_FILE) return false
      makeParents(file.path)
      const absolute = join(into, file.path)
      withDiskErrors('create', absolute, () => {
        // A rename would replace what has this name on a file system that ignores case.
        if (pathExists(disk, absolute)) throw Object.assign(new Error('it already exists'), { code: 'EEXIST' })
        disk.chmodSync(from, file.executable ? 0o755 : 0o644)
        disk.renameSync(from, absolute)
        made.push({ kind: 'file', path: absolute })
      })
      files.push(file)
      return true
    },
    manifest: () => manifest.bytes(),
    makeExecutable(path) {
      const absolute = join(into, path)
      withDiskErrors('make executable', absolute, () => disk.chmodSync(absolute, 0o755))
      const at = files.findIndex((file) => file.path === path)
      const file = files[at]
      if (file !== undefined) files[at] = { ...file, executable: true }
    },
    undo() {
      if (open !== null) ignoreErrors(() => disk.closeSync(open?.fd ?? -1))
      for (const { kind, path } of made.toReversed()) {
        ignoreErrors(() => (kind === 'file' ? disk.unlinkSync(path) : disk.rmdirSync(path)))
      }
    },
  }

  try {
    for (const folder of missingParents(disk, into)) makeFolder(folder)
    makeFolder(into)
  } catch (error) {
    writer.undo()
    throw error
  }
  return writer
}

/** The folders above `path` that do not exist, outermost first. */
const missingParents = (disk: Disk, path: string): string[] => {
  const parent = dirname(path)
  if (parent === path) return []
  try {
    disk.statSync(parent)
    return []
  } catch {
    return [...missingParents(disk, parent), parent]
  }
}

const ignoreErrors = (work: () => void): void => {
  try {
    work()
  } catch {
    // Recovery finds what is left by its path.
  }
}
