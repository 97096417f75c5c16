import { join } from 'node:path'
import type { Context } from '../context.ts'
import { diskError, isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { writeAll } from '../platform/disk.ts'
import { ensureFolder, missingFolders, removeEmptyFolders } from '../platform/folders.ts'
import type { ProcessIdentity } from '../platform/identity.ts'
import { hasEnded, livenessOf, parseIdentity, pidScopeOf } from '../platform/identity.ts'
import { isNormalizedAbsolutePath, isOperationName } from '../state/name-rules.ts'

/**
 * Records which process runs an operation, so that its leftovers are removed when that process is dead, and not before.
 * Owner files are stored in a private folder of the user, `.running/`: a file of a repository never decides what is deleted.
 */
export interface OwnerFile {
  readonly operation: string
  readonly file: string
  /** Folders that the operation created before it had a journal, outermost first. */
  readonly createdFolders: readonly string[]
  /** The process is dead, or so old and unknown that it counts as dead. */
  readonly abandoned: boolean
}

/** The folder of the owner files of a scope or of the cache. */
export const ownerFilesFolder = (privateFolder: string): string => join(privateFolder, '.running')

/**
 * Records that this process runs an operation. A second call for the same operation changes nothing, and neither does the
 * function it returns.
 * @returns removes the owner file; one that cannot be removed now is removed when this process is dead
 * @throws STATE_*
 */
export const createOwnerFile = (
  context: Context,
  folder: string,
  operation: string,
  createdFolders: readonly string[],
  mode?: number,
): (() => void) => {
  const { disk, identity } = context
  const file = join(folder, `${operation}@${identity.pid}-${pidScopeOf(identity)}`)
  const folders = [...new Set([...createdFolders, folder, ...missingFolders(disk, folder)])].sort()
  const { pid, start, boot, host, namespace, machine } = identity
  const text = `${JSON.stringify({ pid, start, boot, host, namespace, machine, made: folders })}\n`
  for (let attempt = 1; ; attempt += 1) {
    try {
      ensureFolder(disk, folder, mode)
      return writeNew(disk, file, Buffer.from(text)) ? () => removeOwnerFile(disk, file, folders) : () => undefined
    } catch (error) {
      // Another process may remove the empty folder before our file is in it.
      if (isErrno(error, 'ENOENT') && attempt < MAX_ATTEMPTS) continue
      removeOwnerFile(disk, file, folders)
      throw diskError(error, 'write', file)
    }
  }
}

const MAX_ATTEMPTS = 100

/** False when the file exists: this process created it before. */
const writeNew = (disk: Disk, file: string, bytes: Uint8Array): boolean => {
  let fd: number
  try {
    fd = disk.openSync(file, 'wx', 0o600)
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
  try {
    writeAll(disk, fd, bytes)
  } finally {
    disk.closeSync(fd)
  }
  return true
}

/**
 * Removes an owner file and the given folders if they are empty; the folders first, because only the file names them. Never
 * throws: an owner file without an operation does no harm.
 */
export const removeOwnerFile = (disk: Disk, file: string, folders: readonly string[]): void => {
  removeEmptyFolders(disk, folders)
  try {
    disk.unlinkSync(file)
  } catch {
    // It does not exist, or a later command removes it.
  }
  removeEmptyFolders(disk, folders)
}

/** All owner files in a folder. Other files are left out. Throws STATE_*. */
export const readOwnerFiles = (disk: Disk, folder: string, self: ProcessIdentity, now: number): OwnerFile[] => {
  const names = listOwnerFiles(disk, folder)
  return names.flatMap((name) => {
    const [, operation, pid, pidScope] = OWNER_FILE_NAME.exec(name) ?? []
    if (operation === undefined || pid === undefined || pidScope === undefined || !isOperationName(operation)) return []
    const file = join(folder, name)
    const { identity, createdFolders, age } = readContent(disk, file, now)
    const life =
      identity === null ? (hasEnded(Number(pid), pidScope, self) ? 'dead' : 'unknown') : livenessOf(identity, self)
    return [
      {
        operation,
        file,
        createdFolders,
        abandoned: life === 'dead' || (life === 'unknown' && age > MAX_OPERATION_AGE_MS),
      },
    ]
  })
}

const OWNER_FILE_NAME = /^([0-9a-z]+-[0-9a-z]+)@(\d{1,10})-([0-9a-f]{16})$/

/** Age after which an operation of an unknown process counts as dead, in milliseconds: no operation takes a day. */
const MAX_OPERATION_AGE_MS = 24 * 60 * 60 * 1000

const readContent = (disk: Disk, file: string, now: number) => {
  const age = ageOf(disk, file, now)
  try {
    const value: unknown = JSON.parse(disk.readFileSync(file).toString('utf8'))
    const made = typeof value === 'object' && value !== null && 'made' in value ? value.made : []
    return { identity: parseIdentity(value), createdFolders: Array.isArray(made) ? made.filter(isPath) : [], age }
  } catch {
    return { identity: null, createdFolders: [], age }
  }
}

const ageOf = (disk: Disk, file: string, now: number): number => {
  try {
    return now - disk.lstatSync(file).mtimeMs
  } catch {
    return 0
  }
}

const isPath = (value: unknown): value is string => typeof value === 'string' && isNormalizedAbsolutePath(value)

const listOwnerFiles = (disk: Disk, folder: string): string[] => {
  try {
    return disk.readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw diskError(error, 'list', folder)
  }
}
