import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const USER = /^[A-Za-z0-9_.~+][A-Za-z0-9_.~+-]*$/
const TOKEN_PREFIX = /^(?:gh[a-z]_|github_pat_|gl[a-z]{2,6}-|ATBB|ATCTT|npm_)/i

/**
 * The user part of a url. A bare name (`git`, an account) may stay; a password or a token may not, because the spec goes
 * into the ledger, which is made to be committed. The message shows the host only.
 *
 * @throws GsdError `SPEC_REFUSED`, `SPEC_MALFORMED`
 */
export const readUser = (user: string, scheme: string, host: string): string => {
  if (/:|%3a/i.test(user) || (scheme !== 'ssh' && looksSecret(user))) {
    throw new GsdError(
      'SPEC_REFUSED',
      `the url of ${quote(host)} carries a password or token, which would end up in the ledger`,
      {
        hint: 'take it out; a credential helper of git, an ssh key or the auth section of ~/.gsd/config.json can supply it',
      },
    )
  }
  if (!USER.test(user)) {
    throw new GsdError(
      'SPEC_MALFORMED',
      `the url of ${quote(host)} has ${user === '' ? 'nothing' : 'something else'} where a user name would stand`,
      {
        hint: 'take out what stands before the "@"',
      },
    )
  }
  return user
}

/** Tokens are used as user names by several hosts; they are long mixtures, or announce themselves. */
const looksSecret = (user: string): boolean =>
  TOKEN_PREFIX.test(user) || user.length >= 40 || (user.length >= 20 && /\d/.test(user) && /[A-Za-z]/.test(user))
