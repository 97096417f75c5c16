import { dirname, join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import type { Role } from '../manifest/manifest.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import { pathExists, writeAll } from '../platform/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import { isCapabilityId } from '../state/name-rules.ts'
import { SCAFFOLDS, type ScaffoldFile } from './scaffolds.ts'

export interface InitRequest {
  readonly id: string
  readonly role: Role
  /** Folder to create, as typed; null: `<id>` in the working directory. */
  readonly dir: string | null
  readonly dryRun?: boolean
}

export interface InitAnswer {
  readonly id: string
  readonly role: Role
  /** Absolute. */
  readonly dir: string
  /** Relative to `dir`. */
  readonly files: readonly string[]
}

/**
 * Scaffolds a valid capability of one role, with a README and a test fixture. Existing files are not touched.
 * @throws USAGE_BAD_VALUE for an invalid id, STATE_UNTRACKED if the folder is not empty, STATE_*
 */
export const init = ({ disk, cwd }: Context, { id, role, dir: named, dryRun = false }: InitRequest): InitAnswer => {
  if (!isCapabilityId(id)) {
    throw new GsdError('USAGE_BAD_VALUE', `${quote(id)} is not a valid capability id`, {
      hint: 'lower-case words with hyphens between them, at most 64 characters, such as release-notes',
    })
  }
  if (/^(?:gsd|gsd-core|anthropic)-/.test(id)) {
    throw new GsdError('USAGE_BAD_VALUE', `${quote(id)} starts with a prefix reserved for first-party capabilities`, {
      hint: 'remove the prefix',
    })
  }
  const dir = resolve(cwd, named ?? id)
  if (pathExists(disk, dir) && withDiskErrors('list', dir, () => disk.readdirSync(dir)).length > 0) {
    throw new GsdError('STATE_UNTRACKED', `${quote(dir)} already exists and is not empty`, {
      hint: 'name another folder with --dir, or another id',
    })
  }
  const files = SCAFFOLDS[role](id)
  const answer = { id, role, dir, files: files.map(({ path }) => path) }
  if (dryRun) return answer
  const created = ensureFolder(disk, dir)
  const written: string[] = []
  try {
    for (const file of files) written.push(...writeFile(disk, dir, file))
  } catch (error) {
    for (const path of [...written].reverse()) removePath(disk, path)
    removeEmptyFolders(disk, created)
    throw error
  }
  return answer
}

/** @returns created paths, outermost first */
const writeFile = (disk: Context['disk'], dir: string, { path, text, executable }: ScaffoldFile): string[] => {
  const file = join(dir, path)
  const folders = ensureFolder(disk, dirname(file))
  withDiskErrors('write', file, () => {
    const fd = disk.openSync(file, 'wx', executable === true ? 0o755 : 0o644)
    try {
      writeAll(disk, fd, Buffer.from(text))
    } finally {
      disk.closeSync(fd)
    }
  })
  return [...folders, file]
}

const removePath = (disk: Context['disk'], path: string): void => {
  try {
    if (disk.lstatSync(path).isDirectory()) disk.rmdirSync(path)
    else disk.unlinkSync(path)
  } catch {
    // Already removed, or replaced by someone else.
  }
}
