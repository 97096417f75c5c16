import { join } from 'node:path'
import type { Context } from '../context.ts'
import { pathExists } from '../platform/disk.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { CleanUpFolders } from './clean-up.ts'
import { ownerFilesFolder } from './owner-file.ts'
import { mayBeRelocated } from './relocation/detect-relocation.ts'

/** Whether an operation is running or was interrupted, or a project may have been moved. Costs a few calls of lstat. */
export const mayNeedRecovery = (context: Context): boolean =>
  unfinishedScopes(context).length > 0 ||
  pathExists(context.disk, cacheCleanUpFolders(context).ownerFiles) ||
  hasRelocatedScope(context)

/** Whether the folder of a scope may have been moved or copied, with host entries that are not recorded yet. */
export const hasRelocatedScope = (context: Context): boolean =>
  scopesOf(context).some((paths) => mayBeRelocated(context, paths))

/**
 * Scopes in which an operation is running or was interrupted. A process that died may leave only its lock, and if the
 * project was moved since, only what is in the project.
 */
export const unfinishedScopes = (context: Context): readonly ScopePaths[] =>
  scopesOf(context).filter(({ private: folder, journal, lock, staging, trash }) =>
    [journal, ownerFilesFolder(folder), lock, context.user.lock, staging, trash].some((path) =>
      pathExists(context.disk, path),
    ),
  )

/** Scopes with a journal: an operation is changing them, or was interrupted while it did. */
export const journaledScopes = (context: Context): readonly ScopePaths[] =>
  scopesOf(context).filter(({ journal }) => pathExists(context.disk, journal))

/** The staging folder in the cache, for bundles that are only checked. */
export const cacheCleanUpFolders = ({ cache }: Pick<Context, 'cache'>): CleanUpFolders => ({
  staging: join(cache, 'staging'),
  trash: null,
  journal: null,
  ownerFiles: ownerFilesFolder(cache),
  scopeFolders: [],
  cache,
})
