import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/
/** No characters that a url parser would take for another part, decode or drop. */
const HOST_CHARACTERS = /^(?:\[[^\]\s]+\]|[^/?#@:\\\s%[\]]+)$/
const ADDRESS = /^\[[0-9a-f:.]{2,45}\]$/

/**
 * A host as it is contacted and judged: lower case, international names in ASCII, numbers as dotted addresses. `text` is
 * the spec, for the message.
 *
 * @throws GsdError `SPEC_MALFORMED`
 */
export const parseHost = (host: string, text: string): string => {
  const normal = HOST_CHARACTERS.test(host) ? normalizeHost(host) : null
  if (normal === null || !(NAME.test(normal) || ADDRESS.test(normal))) {
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} has ${quote(host)} in place of a host`, {
      hint: 'check the host name',
    })
  }
  return normal
}

/** The WHATWG host parser is what fetches use, so `0x7f.1` and look-alike dots mean here what they will mean there. */
const normalizeHost = (host: string): string | null => {
  try {
    return new URL(`https://${host}/`).hostname
  } catch {
    return null
  }
}

/** True for names and addresses that never leave this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The host that a git url (of a {@link GitSpec}) contacts, lower case, or null for a folder of this machine. */
export const gitHost = (url: string): string | null => {
  if (url.startsWith('file://')) return null
  const [, host] = /^(?:[a-z]+:\/\/(?:[^/@]*@)?|[^/@:]+@)(\[[^\]]*\]|[^/:]+)/.exec(url) ?? []
  return host ?? null
}

const USER = /^[A-Za-z0-9_.~+][A-Za-z0-9_.~+-]*$/
const TOKEN_PREFIX = /^(?:gh[a-z]_|github_pat_|gl[a-z]{2,6}-|ATBB|ATCTT|npm_)/i

/**
 * The user part of a url. A bare name (`git`, an account) may stay; a password or a token may not, because the spec goes
 * into the ledger, which is made to be committed. The message shows the host only.
 *
 * @throws GsdError `SPEC_REFUSED`, `SPEC_MALFORMED`
 */
export const parseUrlUser = (user: string, scheme: string, host: string): string => {
  if (/:|%3a/i.test(user) || (scheme !== 'ssh' && looksLikeToken(user))) {
    throw new GsdError(
      'SPEC_REFUSED',
      `the url of ${quote(host)} carries a password or token, which would end up in the ledger`,
      {
        hint: 'remove it; a credential helper of git, an ssh key or the auth section of ~/.gsd/config.json can supply it',
      },
    )
  }
  if (!USER.test(user)) {
    throw new GsdError(
      'SPEC_MALFORMED',
      `the url of ${quote(host)} has ${user === '' ? 'nothing' : 'something else'} where a user name would stand`,
      {
        hint: 'remove the part before the "@"',
      },
    )
  }
  return user
}

/** Tokens are used as user names by several hosts; they are long mixtures, or announce themselves. */
const looksLikeToken = (user: string): boolean =>
  TOKEN_PREFIX.test(user) || user.length >= 40 || (user.length >= 20 && /\d/.test(user) && /[A-Za-z]/.test(user))
