import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { FetchContext } from './fetched.ts'

/**
 * Refuses under `--offline`. `what`: what is not here, as it reads behind "not here"; `hint`: how it could be.
 * @throws GsdError FETCH_OFFLINE
 */
export const refuseOffline = ({ offline }: Pick<FetchContext, 'offline'>, named: string, hint: string): void => {
  if (!offline) return
  throw new GsdError('FETCH_OFFLINE', `${quote(named)} is not in the cache, and --offline asks nobody`, { hint })
}

/** The hint where the spec names no content that could be found again. */
export const PIN_FIRST = 'offline only what is pinned and was fetched before can be had; run it once without --offline'
