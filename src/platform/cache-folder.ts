import { isAbsolute, join } from 'node:path'

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
