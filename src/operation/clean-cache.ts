import { join } from 'node:path'
import type { Context } from '../context.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import { pathExists } from '../platform/disk.ts'
import { removeTree } from '../platform/folders.ts'

/** Folders that a running command may be using; their owner removes them. */
const FOLDERS_IN_USE = new Set(['staging', '.running'])

/**
 * Empties the cache. What it held is fetched or built again when needed (contract,
 * "Files").
 * @returns names of the deleted entries
 * @throws STATE_*
 */
export const cleanCache = ({ disk, cache }: Context): readonly string[] => {
  if (!pathExists(disk, cache)) return []
  const names = withDiskErrors('list', cache, () => disk.readdirSync(cache)).filter((name) => !FOLDERS_IN_USE.has(name))
  for (const name of names) removeTree(disk, join(cache, name))
  return names
}
