import { nearestWord } from '../nearest-word.ts'
import { KNOWN_HOSTS } from './known-hosts.ts'

/** What to say of a host that has no address. */
export const unknownHostHint = (host: string): string => {
  const near = nearestWord(
    host,
    Object.values(KNOWN_HOSTS).map((known) => known.host),
  )
  return near === null || near === host ? 'check the spelling of the host, and your network' : `did you mean ${near}?`
}
