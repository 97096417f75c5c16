import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import type { Disk } from '../store/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../store/folders.ts'
import type { Journal } from '../store/journal-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { STORES } from '../store/records.ts'
import { replaceFile } from '../store/replace.ts'
import { isThere } from './is-there.ts'

/** What git is to leave out: everything that is derived, or there only for a moment. */
export const GITIGNORE = 'receipts/\n.staging/\n.trash/\n'

/**
 * Makes the folders that the changes of a plan need, and `.gitignore` where a scope begins.
 * @returns the folders that were made, outermost first
 * @throws STATE_*; then none of them is left
 */
export const layGround = (context: Context, places: ScopePlaces, plan: Journal): string[] => {
  const { disk } = context
  const made: string[] = []
  try {
    for (const folder of foldersFor(context, places, plan)) made.push(...ensureFolder(disk, folder))
    if (begins(disk, places, plan)) {
      replaceFile(disk, places.gitignore, Buffer.from(GITIGNORE), { operation: plan.operation, expect: null })
    }
    return made
  } catch (error) {
    clearGround(disk, places, made)
    throw error
  }
}

/** The inverse, as far as nothing stands on it. */
export const clearGround = (disk: Disk, places: ScopePlaces, made: readonly string[]): void => {
  tidy(disk, places)
  removeEmptyFolders(disk, made)
}

/**
 * Takes away the folders of a scope that have become empty, and `.gitignore` when nothing is left for it to speak of.
 * `.gsd` itself stays: it may be what marks the project.
 */
export const tidy = (disk: Disk, places: ScopePlaces): void => {
  removeEmptyFolders(disk, [places.capabilities, places.receipts, places.staging, places.trash])
  const isBare = [places.ledger, places.state, places.capabilities, places.receipts].every(
    (path) => !isThere(disk, path),
  )
  try {
    if (isBare && disk.readFileSync(places.gitignore).equals(Buffer.from(GITIGNORE))) disk.unlinkSync(places.gitignore)
  } catch {
    // There is none, or it has to stay.
  }
}

const foldersFor = (context: Context, places: ScopePlaces, { changes, operation }: Journal): Set<string> => {
  const folders = new Set([dirname(places.journal)])
  for (const change of changes) {
    if (change.kind === 'record') folders.add(dirname(STORES[change.store].file(context.user, places)))
    if (change.kind !== 'swap') continue
    const target = join(places.gsd, change.target)
    folders.add(dirname(target))
    if (isThere(context.disk, target)) folders.add(dirname(join(places.trash, operation, change.target)))
  }
  return folders
}

/** Only with the first thing that is put there: who deletes the file later meant it. */
const begins = (disk: Disk, places: ScopePlaces, { changes }: Journal): boolean =>
  changes.some((change) => change.kind === 'swap' && change.from !== null) &&
  [places.ledger, places.gitignore].every((path) => !isThere(disk, path))
