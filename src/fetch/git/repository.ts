import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { ensureFolder, removeEmptyFolders, removeTree } from '../../platform/folders.ts'
import { checkCacheFolder, ensureCacheFolder } from '../../platform/private-folder.ts'
import { removeStaleTemporaries, temporaryName, writeCacheFile } from '../cache/cache-file.ts'
import type { FetchContext } from '../fetcher.ts'

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
export const makeRepository = ({ disk, cache }: Pick<FetchContext, 'disk' | 'cache'>, url: string): string => {
  const folder = folderOfUrl(cache, url)
  ensureCacheFolder(disk, cache, folder)
  removeStaleTemporaries(disk, { cache, folder, prefix: TEMPORARY_PREFIX })
  const dir = join(folder, `${TEMPORARY_PREFIX}${temporaryName()}`)
  for (const part of ['objects/pack', 'objects/info', 'refs/heads']) ensureFolder(disk, join(dir, part), 0o700)
  writeCacheFile(disk, { cache, file: join(dir, 'HEAD') }, HEAD)
  writeCacheFile(
    disk,
    { cache, file: join(dir, 'config') },
    Buffer.from('[core]\n\trepositoryformatversion = 0\n\tbare = true\n'),
  )
  return dir
}

/** Gives a complete repository its final name. Where another process was faster, its repository is used. @throws STATE_* */
export const finishRepository = (
  { disk, cache }: Pick<FetchContext, 'disk' | 'cache'>,
  dir: string,
  name: string,
): string => {
  const place = join(dirname(dir), name)
  if (isKeptRepository(disk, cache, place)) removeTree(disk, dir)
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

/**
 * Whether a folder is a repository that {@link finishRepository} has put there: with our mark, and packs of objects only.
 * Anything else that git would read objects from, such as loose objects or `alternates`, is not ours.
 * @throws STATE_CACHE_UNSAFE
 */
export const isKeptRepository = (disk: Disk, cache: string, dir: string): boolean => {
  const [head, objects] = [join(dir, 'HEAD'), join(dir, 'objects')]
  for (const name of ['info', 'pack']) checkCacheFolder(disk, cache, join(objects, name))
  const list = (path: string): readonly string[] =>
    disk.lstatSync(path).isDirectory() ? disk.readdirSync(path) : [path]
  try {
    return (
      disk.lstatSync(head).isFile() &&
      disk.readFileSync(head).equals(HEAD) &&
      list(objects).every((name) => name === 'info' || name === 'pack') &&
      list(join(objects, 'info')).length === 0 &&
      list(join(objects, 'pack')).every(
        (name) => PACK_FILE.test(name) && disk.lstatSync(join(objects, 'pack', name)).isFile(),
      )
    )
  } catch {
    return false
  }
}

const PACK_FILE = /^pack-[0-9a-f]{40}\.(?:pack|idx|rev|promisor|keep)$/
