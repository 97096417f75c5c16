import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const FOLDER_NAME = 'gsd-capability'

/** What the cache folder depends on, as values. */
export interface CacheFolderInput {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home. */
  readonly home: string
  readonly platform: NodeJS.Platform
}

/**
 * The folder for what can be had again: the one that `env-paths` gives for this program without a suffix. A relative
 * `XDG_CACHE_HOME` does not count, as its specification says.
 */
export const cacheFolder = ({ env, home, platform }: CacheFolderInput): string => {
  if (platform === 'darwin') return join(home, 'Library/Caches', FOLDER_NAME)
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData/Local'), FOLDER_NAME, 'Cache')
  const given = env['XDG_CACHE_HOME'] ?? ''
  return join(isAbsolute(given) ? given : join(home, '.cache'), FOLDER_NAME)
}

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
