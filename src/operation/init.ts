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
  /** Folder to make, as typed; null: `<id>` in the working directory. */
  readonly dir: string | null
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
 * Scaffolds a valid capability of one role, with a README and a test fixture. Nothing that is there is touched.
 * @throws USAGE_BAD_VALUE for an id that is none, STATE_UNTRACKED where the folder holds something, STATE_*
 */
export const init = ({ disk, cwd }: Context, { id, role, dir: named }: InitRequest): InitAnswer => {
  if (!isCapabilityId(id)) {
    throw new GsdError('USAGE_BAD_VALUE', `${quote(id)} cannot be the id of a capability`, {
      hint: 'lower-case words with hyphens between them, at most 64 characters, such as release-notes',
    })
  }
  if (/^(?:gsd|gsd-core|anthropic)-/.test(id)) {
    throw new GsdError(
      'USAGE_BAD_VALUE',
      `${quote(id)} begins with a prefix that is reserved for first-party capabilities`,
      {
        hint: 'leave out gsd-, gsd-core- and anthropic-',
      },
    )
  }
  const dir = resolve(cwd, named ?? id)
  if (pathExists(disk, dir) && withDiskErrors('list', dir, () => disk.readdirSync(dir)).length > 0) {
    throw new GsdError('STATE_UNTRACKED', `${quote(dir)} is there already and not empty`, {
      hint: 'name another folder with --dir, or another id',
    })
  }
  const files = SCAFFOLDS[role](id)
  const made = ensureFolder(disk, dir)
  const written: string[] = []
  try {
    for (const file of files) written.push(...writeFile(disk, dir, file))
  } catch (error) {
    for (const path of [...written].reverse()) removePath(disk, path)
    removeEmptyFolders(disk, made)
    throw error
  }
  return { id, role, dir, files: files.map(({ path }) => path) }
}

/** What was made, outermost first. */
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
    // Gone, or somebody else's by now.
  }
}
