import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { ScopePlaces } from '../store/places.ts'
import { claimsOf } from './claim.ts'
import { isThere } from './is-there.ts'

/** Scopes in which an operation is under way, or was interrupted. Two looks at the disk for each. */
export const unsettledScopes = (context: Context): readonly ScopePlaces[] =>
  scopesOf(context).filter(
    (places) => isThere(context.disk, places.journal) || isThere(context.disk, claimsOf(places.private)),
  )
