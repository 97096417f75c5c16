import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import envPaths from 'env-paths'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const FOLDER_NAME = 'gsd-capability'

/**
 * The user's cache folder for this program. Reads the environment of the process, so only the entries of the program call
 * it. A relative `XDG_CACHE_HOME` is refused: it would be another folder in each working directory, perhaps one in a
 * repository.
 * @param home if it is not the process's own home, the cache folder is below it
 * @throws GsdError USAGE_BAD_VALUE
 */
export const cacheFolder = (home: string): string => {
  const configured = process.env['XDG_CACHE_HOME'] ?? ''
  if (configured !== '' && !isAbsolute(configured))
    throw new GsdError('USAGE_BAD_VALUE', `XDG_CACHE_HOME is ${quote(configured)}, which is not an absolute path`, {
      hint: 'set XDG_CACHE_HOME to an absolute path, or unset it',
    })
  const { cache } = envPaths(FOLDER_NAME, { suffix: '' })
  const below = relative(homedir(), cache)
  return below.startsWith('..') || isAbsolute(below) ? cache : join(home, below)
}

const VARIABLE = process.platform === 'win32' ? 'USERPROFILE' : 'HOME'

/**
 * The user's home, from the environment, else from the account.
 * @throws GsdError USAGE_BAD_VALUE where there is neither, or it is not absolute
 */
export const userHome = (env: Readonly<Record<string, string | undefined>>): string => {
  const home = env[VARIABLE]?.trim() ? (env[VARIABLE] ?? '') : accountHome()
  if (isAbsolute(home)) return home
  throw new GsdError('USAGE_BAD_VALUE', `${VARIABLE} is ${quote(home)}, which is not an absolute path`, {
    hint: `set ${VARIABLE} to your home folder`,
  })
}

const accountHome = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return ''
  }
}
