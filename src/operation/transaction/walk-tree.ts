import { join } from 'node:path'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'

/** A file, or a folder with everything in it, links left out: the paths to sync before it is put in place. */
export const walkTree = (disk: Disk, path: string): string[] => {
  const stats = onDisk('look at', path, () => disk.lstatSync(path))
  if (!stats.isDirectory()) return stats.isFile() ? [path] : []
  const names = onDisk('list', path, () => disk.readdirSync(path))
  return [...names.flatMap((name) => walkTree(disk, join(path, name))), path]
}
