import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { FetchContext } from './fetcher.ts'

/** The error for what would have to be asked for under `--offline`. `hint`: how it could be had. */
export const notCached = (named: string, hint: string): GsdError =>
  new GsdError('FETCH_OFFLINE', `${quote(named)} is not in the cache, and --offline asks nobody`, { hint })

/** @throws GsdError FETCH_OFFLINE under `--offline` */
export const refuseOffline = ({ offline }: Pick<FetchContext, 'offline'>, named: string, hint: string): void => {
  if (offline) throw notCached(named, hint)
}

/** The hint where the spec names no content that could be found again. */
export const PIN_FIRST_HINT =
  'offline only what is pinned and was fetched before can be had; run it once without --offline'
