import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '../errors.ts'
import type { Disk } from '../store/disk.ts'
import { openAudit } from './audit.ts'
import { byBytes } from './byte-order.ts'
import { isExecutable, typeOf } from './entry-type.ts'
import { changed, readFault } from './faults.ts'
import { isLeftOut, leftOutBy } from './left-out.ts'
import { readListedFile } from './listed-file.ts'
import type { Listing } from './listing.ts'
import { unsafe } from './refusal.ts'

export interface FolderOptions {
  readonly disk: Disk
  /** Absolute path of a file that is not part of the bundle though it lies in the folder. */
  readonly except?: string
}

/**
 * Walks a folder without following or opening anything and judges every entry like an archive's.
 * `.git`, `node_modules` and `.DS_Store` are passed over unseen. Throws ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE, FETCH_*.
 */
export const listFolder = (dir: string, options: FolderOptions): Listing => {
  const { disk } = options
  const audit = openAudit(null)
  const leftOut = new Set<string>()
  const seen = new Map<string, Stats>()

  const walk = (folder: string): void => {
    for (const name of readNames(disk, join(dir, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const absolute = join(dir, path)
      if (isLeftOut(name)) {
        leftOut.add(leftOutBy(name) ?? name)
        continue
      }
      if (absolute === options.except) continue
      const stats = look(disk, absolute, path)
      audit.add({ path, type: typeOf(stats), size: stats.isFile() ? stats.size : 0, executable: isExecutable(stats) })
      if (stats.isDirectory()) walk(path)
      else seen.set(path, stats)
    }
  }

  walk('')
  const accepted = audit.finish()
  return {
    files: accepted.files,
    folders: accepted.folders,
    leftOut: [...leftOut],
    async play(wants, sink) {
      for (const file of accepted.files) {
        const stats = seen.get(file.path)
        if (stats === undefined || !wants(file.path)) continue
        sink.begin(file)
        readListedFile(disk, { path: join(dir, file.path), stats }, (chunk) => sink.data(chunk))
        sink.end()
      }
    },
  }
}

const readNames = (disk: Disk, folder: string): string[] => {
  try {
    return disk.readdirSync(folder).toSorted(byBytes)
  } catch (error) {
    throw readFault(error, folder)
  }
}

const look = (disk: Disk, absolute: string, path: string): Stats => {
  try {
    return disk.lstatSync(absolute)
  } catch (error) {
    // A name that is not UTF-8 comes back with replacement characters and is not found under them.
    if (errnoOf(error) === 'ENOENT' && path.includes('\ufffd'))
      throw unsafe(path, 'not-unicode', 'has a name that is not UTF-8')
    if (errnoOf(error) === 'ENOENT') throw changed(absolute)
    throw readFault(error, absolute)
  }
}
