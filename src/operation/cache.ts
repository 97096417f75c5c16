import { join } from 'node:path'
import type { Context } from '../context.ts'
import { onDisk } from '../store/disk-error.ts'
import { isThere } from '../store/is-there.ts'
import { removeTree } from '../store/remove-tree.ts'

/** Folders that a running command may be working in right now; they are swept by whoever made them. */
const IN_USE = new Set(['staging', '.running'])

/**
 * Empties the cache; what it held is fetched or made again when it is wanted. Deleting it loses nothing (contract,
 * "Files").
 * @returns names of what was deleted
 * @throws STATE_*
 */
export const cleanCache = ({ disk, cache }: Context): readonly string[] => {
  if (!isThere(disk, cache)) return []
  const names = onDisk('list', cache, () => disk.readdirSync(cache)).filter((name) => !IN_USE.has(name))
  for (const name of names) removeTree(disk, join(cache, name))
  return names
}
