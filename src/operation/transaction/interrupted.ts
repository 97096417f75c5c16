import { join } from 'node:path'
import { scopesOf } from '../../config/places.ts'
import type { Context } from '../../context.ts'
import { isThere } from '../../store/is-there.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { mayBeMoved } from '../moved/signs.ts'
import { claimsOf } from './claim.ts'
import type { Sweepable } from './sweep.ts'

/**
 * Whether an operation is under way, or one was interrupted and left something, or a project may have been moved. A few
 * looks at the disk.
 */
export const isUnsettled = (context: Context): boolean =>
  unsettledScopes(context).length > 0 || isThere(context.disk, unpackedBelow(context).claims) || isStrange(context)

/** Whether the folder of a scope may have been moved or copied, and what came with it is not on record yet. */
export const isStrange = (context: Context): boolean => scopesOf(context).some((places) => mayBeMoved(context, places))

/**
 * Scopes in which an operation is under way, or was interrupted. A process that died may leave no more than its lock, and
 * one whose project was moved since no more than what lies in the project.
 */
export const unsettledScopes = (context: Context): readonly ScopePlaces[] =>
  scopesOf(context).filter(({ private: folder, journal, lock, staging, trash }) =>
    [journal, claimsOf(folder), lock, context.user.lock, staging, trash].some((path) => isThere(context.disk, path)),
  )

/** Scopes whose disk an operation is changing, or was changing when it was interrupted. */
export const changingScopes = (context: Context): readonly ScopePlaces[] =>
  scopesOf(context).filter(({ journal }) => isThere(context.disk, journal))

/** Where bundles are unpacked that are not installed yet, or never will be. */
export const unpackedBelow = ({ cache }: Pick<Context, 'cache'>): Sweepable => ({
  staging: join(cache, 'staging'),
  trash: null,
  journal: null,
  claims: claimsOf(cache),
  skeleton: [],
})
