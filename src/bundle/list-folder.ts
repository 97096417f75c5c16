import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '../errors.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import type { Disk } from '../platform/disk.ts'
import { unsafeEntryError } from './archive/archive-errors.ts'
import { startAudit } from './archive/audit.ts'
import { entryTypeOf, isExecutable } from './bundle.ts'
import { compareUtf8 } from './byte-order.ts'
import { leftOutNotes, readLeftOut } from './left-out.ts'
import type { Listing } from './listing.ts'
import { readListedFile } from './open-file.ts'
import { excludedNameIn, isExcludedName } from './path-rules.ts'
import { changedWhileReadError, toReadError } from './read-errors.ts'

export interface FolderOptions {
  readonly disk: Disk
  /** Absolute path of a file in the folder that is not part of the bundle. */
  readonly excludedFile?: string
}

/**
 * Walks a folder without following or opening anything and checks every entry like an archive's.
 * `.git`, `node_modules`, `.DS_Store`, what npm never packs and what the folder's ignore file names are skipped. Throws ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE, FETCH_*.
 */
export const listFolder = (dir: string, options: FolderOptions): Listing => {
  const { disk } = options
  const audit = startAudit(null)
  const excluded = new Set<string>()
  const rules = readLeftOut(dir, disk)
  const leftOut: string[] = []
  const seen = new Map<string, Stats>()

  const walk = (folder: string): void => {
    for (const name of listNames(disk, join(dir, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const absolute = join(dir, path)
      if (isExcludedName(name)) {
        excluded.add(excludedNameIn(name) ?? name)
        continue
      }
      if (absolute === options.excludedFile) continue
      const stats = lstatEntry(disk, absolute, path)
      if (path !== MANIFEST_FILE && rules.isLeftOut(path, stats.isDirectory())) {
        leftOut.push(stats.isDirectory() ? `${path}/` : path)
        continue
      }
      audit.add({
        path,
        type: entryTypeOf(stats),
        size: stats.isFile() ? stats.size : 0,
        executable: isExecutable(stats),
      })
      if (stats.isDirectory()) walk(path)
      else seen.set(path, stats)
    }
  }

  walk('')
  const accepted = audit.finish()
  return {
    files: accepted.files,
    folders: accepted.folders,
    excluded: [...excluded],
    notes: leftOutNotes(rules, leftOut),
    async sendFiles(wants, sink) {
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

const listNames = (disk: Disk, folder: string): string[] => {
  try {
    return disk.readdirSync(folder).toSorted(compareUtf8)
  } catch (error) {
    throw toReadError(error, folder)
  }
}

const lstatEntry = (disk: Disk, absolute: string, path: string): Stats => {
  try {
    return disk.lstatSync(absolute)
  } catch (error) {
    // A name that is not UTF-8 is listed with replacement characters and does not exist under that name.
    if (errnoOf(error) === 'ENOENT' && path.includes('\ufffd'))
      throw unsafeEntryError(path, 'not-unicode', 'has a name that is not UTF-8')
    if (errnoOf(error) === 'ENOENT') throw changedWhileReadError(absolute)
    throw toReadError(error, absolute)
  }
}
