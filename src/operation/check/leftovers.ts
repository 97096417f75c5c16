import { basename, dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { findLinkOut } from '../../host/edit/project-links.ts'
import type { Disk } from '../../platform/disk.ts'
import { pathExists } from '../../platform/disk.ts'
import { listFolder } from '../../platform/folders.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { isOperationName } from '../../state/name-rules.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isLocked } from '../../transaction/lock-folder.ts'
import { ownerFilesFolder, readOwnerFiles } from '../../transaction/owner-file.ts'

/**
 * Files that no running operation owns and no journal names: staging and trash folders, and temporaries beside the files
 * that operations replace. Only this program uses such names.
 * @param locked this process holds the lock, so nobody else changes anything
 */
export const findLeftovers = (
  context: Context,
  paths: ScopePaths,
  { locked }: { readonly locked: boolean },
): readonly string[] => {
  const { disk, identity, now } = context
  if (pathExists(disk, paths.journal)) return []
  const owners = readOwnerFiles(disk, ownerFilesFolder(paths.private), identity, now())
  const running = new Set(owners.filter(({ abandoned }) => !abandoned).map(({ operation }) => operation))
  return [
    ...[paths.staging, paths.trash].flatMap((folder) =>
      listFolder(disk, folder)
        .filter((name) => isOperationName(name) && !running.has(name))
        .map((name) => join(folder, name)),
    ),
    ...replaceableFiles(context, paths, locked).flatMap((file) => findTemporaries(disk, file, running)),
  ]
}

/**
 * The consent store belongs to the home. An operation of another project may be replacing it; then it holds the home's
 * lock.
 */
const replaceableFiles = (context: Context, paths: ScopePaths, locked: boolean): readonly string[] => {
  const { disk, user, identity } = context
  const { ledger, state, gitignore, hosts, journal } = paths
  const found = readHostRecords(disk, paths)
  const isFree = paths === context.global && (locked || !isLocked(disk, user.lock, identity))
  const wired =
    found.state === 'ok' ? [...found.value.files.keys()].filter((file) => findLinkOut(disk, paths, file) === null) : []
  return [ledger, state, gitignore, hosts, journal, ...wired, ...(isFree ? [user.grants, user.formerGrants] : [])]
}

/** `.<name>.gsd-<operation>` */
const findTemporaries = (disk: Disk, file: string, running: ReadonlySet<string>): readonly string[] => {
  const prefix = `.${basename(file)}.gsd-`
  return listFolder(disk, dirname(file))
    .filter((name) => name.startsWith(prefix))
    .filter((name) => isOperationName(name.slice(prefix.length)) && !running.has(name.slice(prefix.length)))
    .map((name) => join(dirname(file), name))
}
