import { join } from 'node:path'
import type { Context } from '../context.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import { pathExists } from '../platform/disk.ts'
import { removeTree } from '../platform/folders.ts'
import { checkCacheFolder } from '../platform/private-folder.ts'

/**
 * The folders of the cache that are deleted. Those that a running command may be working in, `staging` and `.running`, are
 * cleaned up by whoever made them, and what is not ours stays.
 */
const CLEANED_FOLDERS: ReadonlySet<string> = new Set(['artifacts', 'catalogs', 'git', 'npm', 'pins', 'registry'])

/**
 * Deletes what is in the cache. It is fetched or computed again when it is needed.
 * @param dryRun only names what would be deleted
 * @returns names of what was deleted
 * @throws STATE_*
 */
export const cleanCache = ({ disk, cache }: Context, { dryRun }: { readonly dryRun: boolean }): readonly string[] => {
  if (!pathExists(disk, cache)) return []
  checkCacheFolder(disk, cache)
  const names = withDiskErrors('list', cache, () => disk.readdirSync(cache)).filter((name) => CLEANED_FOLDERS.has(name))
  if (!dryRun) for (const name of names) removeTree(disk, join(cache, name))
  return names
}
