import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { ensureFolder, missingFolders } from '../platform/folders.ts'
import { checkCacheFolder } from '../platform/private-folder.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { cleanUpOperation, cleanUpFoldersOf, cleanUpFolders, type CleanUpFolders } from './clean-up.ts'
import { newOperationName } from './operation-context.ts'
import { createOwnerFile } from './owner-file.ts'
import { refuseLinkedFolders } from './scope-folders.ts'
import { cacheCleanUpFolders } from './unfinished-scopes.ts'

/** A folder for what an operation may install. */
export interface Staging {
  readonly dir: string
  /**
   * Removes what is left of the operation, and the empty folders that were created for it. What cannot be removed now keeps
   * its owner file and is removed when this process is dead. Never throws.
   */
  readonly discard: () => void
}

/**
 * Creates `.staging/<operation>/` of a scope. If this process dies, recovery removes it.
 * @throws STATE_*
 */
export const createStaging = (context: Context, paths: ScopePaths, operation: string): Staging => {
  refuseLinkedFolders(context.disk, paths)
  return createStagingIn(context, cleanUpFoldersOf(paths), operation)
}

/** The same in the cache, for commands that install nothing. First removes what dead processes left there. */
export const createCacheStaging = (context: Context, operation: string): Staging => {
  const base = cacheCleanUpFolders(context)
  for (const folder of [base.staging, base.ownerFiles]) checkCacheFolder(context.disk, context.cache, folder)
  cleanUpFolders(context, base)
  try {
    return createStagingIn(context, { ...base, mode: 0o700 }, operation)
  } catch (error) {
    throw error instanceof GsdError && error.code !== 'STATE_DISK_FULL' ? cacheUnusableError(error) : error
  }
}

const cacheUnusableError = ({ code, message, details, cause }: GsdError): GsdError =>
  new GsdError(code === 'STATE_CHANGED' ? 'STATE_IO' : code, message, {
    hint: 'the cache is there: make it a folder that you can write to, or set XDG_CACHE_HOME to another folder',
    details,
    cause,
  })

/** The owner file is created first, so that everything a dead process leaves has one. */
const createStagingIn = (
  context: Context,
  base: CleanUpFolders & { readonly mode?: number },
  operation: string,
): Staging => {
  const { disk } = context
  const dir = join(base.staging, operation)
  const release = createOwnerFile(context, base.ownerFiles, operation, missingFolders(disk, base.staging), base.mode)
  const discard = (): void => {
    if (cleanUpOperation(context, base, operation)) release()
  }
  try {
    ensureFolder(disk, dir, base.mode)
  } catch (error) {
    discard()
    throw error
  }
  return { dir, discard }
}

/** Runs `fn` with a staging folder in the cache, and removes the folder afterwards. @throws STATE_* and what `fn` throws */
export const withStaging = async <T>(context: Context, fn: (staging: Staging) => Promise<T>): Promise<T> => {
  const staging = createCacheStaging(context, newOperationName(context))
  try {
    return await fn(staging)
  } finally {
    staging.discard()
  }
}
