import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { ensureFolder, removeEmptyFolders, removeTree } from '../../platform/folders.ts'
import { quote } from '../../redact.ts'
import { removeStaleTemporaries, temporaryName, writeCacheFile } from '../cache/cache-file.ts'
import type { Git } from './git.ts'

/** The cache folder of one repository. */
export const folderOfUrl = (cache: string, url: string): string =>
  join(cache, 'git', createHash('sha256').update(url).digest('hex').slice(0, 32))

/** Name of the folder for one commit, or for a subfolder of it. */
export const folderOfCommit = (commit: string, path: string | null): string =>
  path === null ? commit : `${commit}-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`

const HEAD = Buffer.from('ref: refs/heads/none\n')
const TEMPORARY_PREFIX = 'passing-'

/**
 * Creates an empty bare repository with a temporary name, until {@link finishRepository} gives it the final one. So no
 * process finds an incomplete one, and none waits for another's locks. @throws STATE_*
 */
export const makeRepository = (disk: Disk, folder: string): string => {
  ensureFolder(disk, folder)
  removeStaleTemporaries(disk, folder, (name) => name.startsWith(TEMPORARY_PREFIX))
  const dir = join(folder, `${TEMPORARY_PREFIX}${temporaryName()}`)
  for (const part of ['objects/pack', 'objects/info', 'refs/heads']) ensureFolder(disk, join(dir, part))
  writeCacheFile(disk, join(dir, 'HEAD'), HEAD)
  writeCacheFile(disk, join(dir, 'config'), Buffer.from('[core]\n\trepositoryformatversion = 0\n\tbare = true\n'))
  return dir
}

/** Gives a complete repository its final name. Where another process was faster, its repository is used. */
export const finishRepository = (disk: Disk, dir: string, name: string): string => {
  const place = join(dirname(dir), name)
  if (isRepository(disk, place)) removeTree(disk, dir)
  else {
    removeTree(disk, place)
    withDiskErrors('move', dir, () => disk.renameSync(dir, place))
  }
  return place
}

/** Removes an unfinished repository, and folders that are empty without it. */
export const discardRepository = (disk: Disk, dir: string): void => {
  if (!basename(dir).startsWith(TEMPORARY_PREFIX)) return
  removeTree(disk, dir)
  const ofUrl = dirname(dir)
  removeEmptyFolders(disk, [dirname(dirname(ofUrl)), dirname(ofUrl), ofUrl])
}

/** Whether a folder is a repository of ours. */
export const isRepository = (disk: Disk, dir: string): boolean => {
  const head = join(dir, 'HEAD')
  try {
    return disk.lstatSync(head).isFile() && disk.readFileSync(head).equals(HEAD)
  } catch {
    return false
  }
}

/** Verifies the content of every object against its id. @throws FETCH_GIT */
export const verifyPacks = async (git: Pick<Git, 'read'>, disk: Disk, dir: string): Promise<void> => {
  const packs = join(dir, 'objects', 'pack')
  const names = disk.readdirSync(packs).filter((name) => name.endsWith('.idx'))
  if (names.length === 0) throw new GsdError('FETCH_GIT', `${quote(packs)} is empty`)
  await git.read(['verify-pack', '--', ...names.map((name) => join(packs, name))])
}
