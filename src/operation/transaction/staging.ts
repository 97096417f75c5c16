import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { ensureFolder, missingFolders } from '../../store/folders.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { claim } from './claim.ts'
import { refuseLinkedFolders } from './confined.ts'
import { unpackedBelow } from './interrupted.ts'
import { newOperation } from './operation-name.ts'
import { clear, sweepableOf, sweepFolders, type Sweepable } from './sweep.ts'

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
export const makeStaging = (context: Context, places: ScopePlaces, operation: string): Staging => {
  refuseLinkedFolders(context.disk, places)
  return stageIn(context, sweepableOf(places), operation)
}

/** The same below the cache, for commands that install nothing. Takes away what dead processes left there before. */
export const makeCacheStaging = (context: Context, operation: string): Staging => {
  const base = unpackedBelow(context)
  sweepFolders(context, base)
  try {
    return stageIn(context, base, operation)
  } catch (error) {
    throw error instanceof GsdError && error.code !== 'STATE_DISK_FULL' ? noCache(error) : error
  }
}

/** Whatever stands in the way of the cache, it is a place that cannot be used. */
const noCache = ({ code, message, details, cause }: GsdError): GsdError =>
  new GsdError(code === 'STATE_CHANGED' ? 'STATE_IO' : code, message, {
    hint: 'the cache lies there: make it a folder that you may write to; XDG_CACHE_HOME names another place',
    details,
    cause,
  })

/** Claimed before anything is made, so that whatever a dead process leaves is known to be its. */
const stageIn = (context: Context, base: Sweepable, operation: string): Staging => {
  const { disk } = context
  const dir = join(base.staging, operation)
  const release = claim(context, base.claims, operation, missingFolders(disk, base.staging))
  const discard = (): void => {
    if (clear(context, base, operation)) release()
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
  const staging = makeCacheStaging(context, newOperation(context))
  try {
    return await fn(staging)
  } finally {
    staging.discard()
  }
}
