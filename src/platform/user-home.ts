import { userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const VARIABLE = process.platform === 'win32' ? 'USERPROFILE' : 'HOME'

/**
 * The user's home: the environment's, else the one of the account.
 * @throws GsdError USAGE_BAD_VALUE where there is neither, or it is not absolute
 */
export const userHome = (env: Readonly<Record<string, string | undefined>>): string => {
  const home = env[VARIABLE]?.trim() ? (env[VARIABLE] ?? '') : accountHome()
  if (isAbsolute(home)) return home
  throw new GsdError('USAGE_BAD_VALUE', `${VARIABLE} is ${quote(home)}, which is not an absolute path`, {
    hint: `set ${VARIABLE} to your home`,
  })
}

const accountHome = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return ''
  }
}
