import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/
/** Nothing that a url parser would take for another part, decode or drop. */
const ONLY_HOST = /^(?:\[[^\]\s]+\]|[^/?#@:\\\s%[\]]+)$/
const ADDRESS = /^\[[0-9a-f:.]{2,45}\]$/

/**
 * A host as it is contacted and judged: lower case, international names in ASCII, numbers as dotted addresses. `text` is
 * the spec, for the message.
 *
 * @throws GsdError `SPEC_MALFORMED`
 */
export const readHost = (host: string, text: string): string => {
  const normal = ONLY_HOST.test(host) ? normalHost(host) : null
  if (normal === null || !(NAME.test(normal) || ADDRESS.test(normal))) {
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} has ${quote(host)} where a host would stand`, {
      hint: 'check the host name',
    })
  }
  return normal
}

/** The WHATWG host parser is what fetches use, so `0x7f.1` and look-alike dots mean here what they will mean there. */
const normalHost = (host: string): string | null => {
  try {
    return new URL(`https://${host}/`).hostname
  } catch {
    return null
  }
}

/** True for names and addresses that never leave this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
