import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { ensureFolder, missingFolders } from '../platform/folders.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { cleanUpOperation, cleanUpFoldersOf, cleanUpFolders, type CleanUpFolders } from './clean-up.ts'
import { newOperationName } from './operation-context.ts'
import { createOwnerFile } from './owner-file.ts'
import { refuseLinkedFolders } from './refuse-linked-folders.ts'
import { cacheCleanUpFolders } from './unfinished-scopes.ts'

/** A folder in which an operation unpacks what it may install. */
export interface Staging {
  readonly dir: string
  /**
   * Takes away what is left of the operation and every folder that was made for it, as far as they are empty. What cannot
   * be taken away now stays claimed, and goes when this process is dead. Never throws.
   */
  readonly discard: () => void
}

/**
 * Makes `.staging/<operation>/` of a scope. It belongs to this process; should that die, recovery takes it away.
 * @throws STATE_*
 */
export const createStaging = (context: Context, paths: ScopePaths, operation: string): Staging => {
  refuseLinkedFolders(context.disk, paths)
  return createStagingIn(context, cleanUpFoldersOf(paths), operation)
}

/** The same below the cache, for commands that install nothing. Takes away what dead processes left there before. */
export const createCacheStaging = (context: Context, operation: string): Staging => {
  const base = cacheCleanUpFolders(context)
  cleanUpFolders(context, base)
  try {
    return createStagingIn(context, base, operation)
  } catch (error) {
    throw error instanceof GsdError && error.code !== 'STATE_DISK_FULL' ? cacheUnusableError(error) : error
  }
}

/** Whatever stands in the way of the cache, it is a place that cannot be used. */
const cacheUnusableError = ({ code, message, details, cause }: GsdError): GsdError =>
  new GsdError(code === 'STATE_CHANGED' ? 'STATE_IO' : code, message, {
    hint: 'the cache lies there: make it a folder that you may write to; XDG_CACHE_HOME names another place',
    details,
    cause,
  })

/** Claimed before anything is made, so that whatever a dead process leaves is known to be its. */
const createStagingIn = (context: Context, base: CleanUpFolders, operation: string): Staging => {
  const { disk } = context
  const dir = join(base.staging, operation)
  const release = createOwnerFile(context, base.ownerFiles, operation, missingFolders(disk, base.staging))
  const discard = (): void => {
    if (cleanUpOperation(context, base, operation)) release()
  }
  try {
    ensureFolder(disk, dir)
  } catch (error) {
    discard()
    throw error
  }
  return { dir, discard }
}

/** Runs `fn` with a staging folder below the cache, which is gone afterwards. @throws STATE_* and what `fn` throws */
export const withStaging = async <T>(context: Context, fn: (staging: Staging) => Promise<T>): Promise<T> => {
  const staging = createCacheStaging(context, newOperationName(context))
  try {
    return await fn(staging)
  } finally {
    staging.discard()
  }
}
