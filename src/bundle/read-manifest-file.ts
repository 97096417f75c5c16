import { constants } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { GsdError } from '../errors.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { type ManifestText, parseManifest } from '../manifest/parse-manifest.ts'
import type { Disk } from '../platform/disk.ts'
import { realDisk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { entryTypeOf, TYPE_DESCRIPTIONS } from './bundle.ts'
import { LIMITS } from './limits.ts'
import { type ReadDisk, readFirstBytes } from './open-file.ts'
import { changedWhileReadError, toReadError } from './read-errors.ts'

/** The calls that reading a manifest needs; any `Disk` has them. */
export type ManifestDisk = ReadDisk & Pick<Disk, 'lstatSync' | 'realpathSync'>

/**
 * Reads a manifest from disk (manifest page, "Reading"). Its type is checked before it is opened: a FIFO or device is
 * never opened, and a link only if it stays inside the folder of the manifest. A file that is too long is read only as
 * far as `parseManifest` needs to notice. `path` may also name the folder of a bundle.
 *
 * @throws FETCH_NOT_FOUND, FETCH_UNREADABLE
 */
export const readManifestFile = (path: string, disk: ManifestDisk = realDisk): ManifestText => {
  try {
    const file = disk.lstatSync(path).isDirectory() ? join(path, MANIFEST_FILE) : path
    return parseManifest(readManifestBytes(disk, resolveConfined(disk, file)), { file })
  } catch (error) {
    throw toReadError(error, path)
  }
}

/** The real path of a regular file that is not reached through a link out of its folder. */
const resolveConfined = (disk: ManifestDisk, file: string): string => {
  const isLink = disk.lstatSync(file).isSymbolicLink()
  const real = isLink ? disk.realpathSync(file) : file
  if (isLink) {
    const way = relative(disk.realpathSync(dirname(file)), real)
    if (way === '..' || way.startsWith(`..${sep}`)) throw refusedError(file, 'is a link to outside its folder')
  }
  const type = entryTypeOf(disk.lstatSync(real))
  if (type === 'directory') throw refusedError(file, 'is a folder')
  if (type !== 'file') throw refusedError(file, TYPE_DESCRIPTIONS[type])
  return real
}

const readManifestBytes = (disk: ManifestDisk, real: string): Buffer => {
  const fd = disk.openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = disk.fstatSync(fd)
    if (!stats.isFile()) throw changedWhileReadError(real)
    return readFirstBytes(disk, fd, LIMITS.manifest + 1)
  } finally {
    disk.closeSync(fd)
  }
}

const refusedError = (file: string, what: string): GsdError =>
  new GsdError('FETCH_UNREADABLE', `${quote(file)} ${what}`, {
    hint: 'a manifest is a regular file in the folder of its bundle',
  })
