import { join } from 'node:path'
import type { Context } from '../context.ts'
import { pathExists } from '../platform/path-exists.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { CleanUpFolders } from './clean-up.ts'
import { ownerFilesFolder } from './owner-file.ts'
import { mayBeRelocated } from './relocation/detect-relocation.ts'

/**
 * Whether an operation is under way, or one was interrupted and left something, or a project may have been moved. A few
 * looks at the disk.
 */
export const mayNeedRecovery = (context: Context): boolean =>
  unfinishedScopes(context).length > 0 ||
  pathExists(context.disk, cacheCleanUpFolders(context).ownerFiles) ||
  hasRelocatedScope(context)

/** Whether the folder of a scope may have been moved or copied, and what came with it is not on record yet. */
export const hasRelocatedScope = (context: Context): boolean =>
  scopesOf(context).some((paths) => mayBeRelocated(context, paths))

/**
 * Scopes in which an operation is under way, or was interrupted. A process that died may leave no more than its lock, and
 * one whose project was moved since no more than what lies in the project.
 */
export const unfinishedScopes = (context: Context): readonly ScopePaths[] =>
  scopesOf(context).filter(({ private: folder, journal, lock, staging, trash }) =>
    [journal, ownerFilesFolder(folder), lock, context.user.lock, staging, trash].some((path) =>
      pathExists(context.disk, path),
    ),
  )

/** Scopes whose disk an operation is changing, or was changing when it was interrupted. */
export const journaledScopes = (context: Context): readonly ScopePaths[] =>
  scopesOf(context).filter(({ journal }) => pathExists(context.disk, journal))

/** Where bundles are unpacked that are not installed yet, or never will be. */
export const cacheCleanUpFolders = ({ cache }: Pick<Context, 'cache'>): CleanUpFolders => ({
  staging: join(cache, 'staging'),
  trash: null,
  journal: null,
  ownerFiles: ownerFilesFolder(cache),
  scopeFolders: [],
})
