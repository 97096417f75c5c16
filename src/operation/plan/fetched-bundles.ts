import type { GsdError } from '../../errors.ts'
import type { Prepared } from '../../resolve/prepare.ts'

/** What a sync could fetch, by id, and why the rest could not be fetched. */
export interface FetchedBundles {
  readonly prepared: ReadonlyMap<string, Prepared>
  readonly failed: ReadonlyMap<string, GsdError>
}
