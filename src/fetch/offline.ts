import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { FetchContext } from './fetcher.ts'

/** The error for a source that is not cached under `--offline`. */
export const notCached = (named: string, hint: string): GsdError =>
  new GsdError('FETCH_OFFLINE', `${quote(named)} is not in the cache, and --offline allows no network access`, { hint })

/** @throws GsdError FETCH_OFFLINE under `--offline` */
export const refuseOffline = ({ offline }: Pick<FetchContext, 'offline'>, named: string, hint: string): void => {
  if (offline) throw notCached(named, hint)
}

/** The hint for a spec that is not pinned to one content. */
export const PIN_FIRST_HINT =
  'offline, only pinned sources that were fetched before are available; run it once without --offline'
