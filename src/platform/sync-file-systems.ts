import { runProgram } from './process.ts'

/** Other programs' data is written too, which can take long on a busy disk. */
const LONGEST_MS = 5000

/**
 * Has the file systems that hold these paths written out, by `sync -f` of coreutils, which calls syncfs(2). False where
 * there is no such program, where it fails, and where it takes too long; then nothing is known to be on disk.
 */
export const syncFileSystems = async (paths: readonly string[]): Promise<boolean> => {
  // Elsewhere `sync` ignores its arguments, or does not wait.
  if (process.platform !== 'linux') return false
  try {
    const { status } = await runProgram({
      file: 'sync',
      args: ['-f', '--', ...paths],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      signal: new AbortController().signal,
      timeout: LONGEST_MS,
    })
    return status === 0
  } catch {
    return false
  }
}
