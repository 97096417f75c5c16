import { join } from 'node:path'
import type { Context } from '../context.ts'
import { onDisk } from '../store/disk-error.ts'
import { ensureFolder, removeEmptyFolders } from '../store/folders.ts'
import type { ScopePlaces } from '../store/places.ts'
import { removeTree } from '../store/remove-tree.ts'
import { claim, claimsOf } from './claim.ts'
import { refuseLinkedFolders } from './confined.ts'
import { newOperation } from './operation-name.ts'
import { sweepFolder } from './sweep.ts'

/** A folder in which an operation unpacks what it may install. */
export interface Staging {
  readonly dir: string
  /** Takes away what is left in it and every folder that was made for it, as far as they are empty. */
  readonly discard: () => void
}

/**
 * Makes `.staging/<operation>/` of a scope. It belongs to this process; should that die, recovery takes it away.
 * @throws STATE_*
 */
export const makeStaging = (context: Context, places: ScopePlaces, operation: string): Staging => {
  refuseLinkedFolders(context.disk, places)
  return stageIn(context, places.staging, claimsOf(places.private), operation)
}

/** The same below the cache, for commands that install nothing. Takes away what dead processes left there before. */
export const makeCacheStaging = (context: Context, operation: string): Staging => {
  const base = { staging: join(context.cache, 'staging'), trash: null, claims: claimsOf(context.cache) }
  sweepFolder(context, base, null)
  return stageIn(context, base.staging, base.claims, operation)
}

const stageIn = (context: Context, staging: string, claims: string, operation: string): Staging => {
  const { disk } = context
  const made = ensureFolder(disk, staging)
  const dir = join(staging, operation)
  const discard = (release: (() => void) | null): void => {
    removeTree(disk, dir)
    removeEmptyFolders(disk, [...made, staging])
    release?.()
  }
  let release: (() => void) | null = null
  try {
    release = claim(context, claims, operation, made)
    onDisk('create the folder', dir, () => disk.mkdirSync(dir))
  } catch (error) {
    discard(release)
    throw error
  }
  return { dir, discard: () => discard(release) }
}

/** Runs `fn` with a staging folder below the cache, which is gone afterwards. @throws STATE_* and what `fn` throws */
export const withStaging = async <T>(context: Context, fn: (staging: Staging) => Promise<T>): Promise<T> => {
  const staging = makeCacheStaging(context, newOperation(context))
  try {
    return await fn(staging)
  } finally {
    staging.discard()
  }
}
