import { join } from 'node:path'
import type { Context, ProcessIdentity } from '../context.ts'
import { diskError, isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { writeAll } from '../platform/file-io.ts'
import { ensureFolder, missingFolders, removeEmptyFolders } from '../platform/folders.ts'
import { hasEnded, livenessOf, parseIdentity, pidScopeOf } from '../platform/process-liveness.ts'
import { isOperationName, isNormalizedAbsolutePath } from '../state/name-rules.ts'

/**
 * Says which process an operation belongs to, so that what it leaves can be taken away when that process is dead, and not
 * before. Claims lie in a folder of the user's own, `.running/`: what is deleted is never told by a file of a repository.
 */
export interface OwnerFile {
  readonly operation: string
  readonly file: string
  /** Folders the operation made before it could say so in a journal, outermost first. */
  readonly createdFolders: readonly string[]
  /** Certainly: no process of this machine runs it any more. */
  readonly abandoned: boolean
}

/** Where the claims of a scope, or of the cache, lie. */
export const ownerFilesFolder = (privateFolder: string): string => join(privateFolder, '.running')

/**
 * Claims an operation for this process. A second claim of the same operation by this process is the first one.
 * @returns takes the claim back; one that cannot be taken back now goes when this process is dead
 * @throws STATE_*
 */
export const createOwnerFile = (
  context: Context,
  folder: string,
  operation: string,
  made: readonly string[],
): (() => void) => {
  const { disk, identity } = context
  const file = join(folder, `${operation}@${identity.pid}-${pidScopeOf(identity)}`)
  const folders = [...new Set([...made, folder, ...missingFolders(disk, folder)])].sort()
  const { pid, start, boot, host, namespace, machine } = identity
  const text = `${JSON.stringify({ pid, start, boot, host, namespace, machine, made: folders })}\n`
  for (let attempt = 1; ; attempt += 1) {
    try {
      ensureFolder(disk, folder)
      return writeNew(disk, file, Buffer.from(text)) ? () => removeOwnerFile(disk, file, folders) : () => undefined
    } catch (error) {
      // Another process may take the empty folder away before our claim is in it.
      if (isErrno(error, 'ENOENT') && attempt < MAX_ATTEMPTS) continue
      removeOwnerFile(disk, file, folders)
      throw diskError(error, 'write', file)
    }
  }
}

const MAX_ATTEMPTS = 100

/** False when it is there: this process claimed the operation before, and takes the claim back where it did so. */
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
 * Takes a claim away, and the folders named, as far as they are empty: first those, since only the claim names them. Never
 * throws: a claim to nothing does no harm.
 */
export const removeOwnerFile = (disk: Disk, file: string, folders: readonly string[]): void => {
  removeEmptyFolders(disk, folders)
  try {
    disk.unlinkSync(file)
  } catch {
    // Gone already, or it stays until a later sweep.
  }
  removeEmptyFolders(disk, folders)
}

/** All claims in a folder. Names that are none of ours are left out. Throws STATE_*. */
export const readOwnerFiles = (disk: Disk, folder: string, self: ProcessIdentity, now: number): OwnerFile[] => {
  const names = listOwnerFiles(disk, folder)
  return names.flatMap((name) => {
    const [, operation, pid, realm] = OWNER_FILE_NAME.exec(name) ?? []
    if (operation === undefined || pid === undefined || realm === undefined || !isOperationName(operation)) return []
    const file = join(folder, name)
    const { identity, made, age } = readContent(disk, file, now)
    const life =
      identity === null ? (hasEnded(Number(pid), realm, self) ? 'dead' : 'unknown') : livenessOf(identity, self)
    return [
      {
        operation,
        file,
        createdFolders: made,
        abandoned: life === 'dead' || (life === 'unknown' && age > MAX_OPERATION_AGE_MS),
      },
    ]
  })
}

const OWNER_FILE_NAME = /^([0-9a-z]+-[0-9a-z]+)@(\d{1,10})-([0-9a-f]{16})$/

/** Age after which an operation of another machine counts as dead: nothing takes a day. In milliseconds. */
const MAX_OPERATION_AGE_MS = 24 * 60 * 60 * 1000

const readContent = (disk: Disk, file: string, now: number) => {
  const age = ageOf(disk, file, now)
  try {
    const value: unknown = JSON.parse(disk.readFileSync(file).toString('utf8'))
    const made = typeof value === 'object' && value !== null && 'made' in value ? value.made : []
    return { identity: parseIdentity(value), made: Array.isArray(made) ? made.filter(isPath) : [], age }
  } catch {
    return { identity: null, made: [], age }
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
