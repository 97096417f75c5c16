import { GsdError } from '../errors.ts'
import { runProgram } from '../platform/process.ts'
import { findProgram } from './find-program.ts'
import type { RunContext } from './run-lane.ts'

const TIMEOUT = 30_000

/** What `git status` says of a folder; null where there is no git or no repository. @throws GsdError INTERRUPTED */
export const gitStatus = async (root: string, { env, signal }: RunContext): Promise<string | null> => {
  const file = findProgram('git', env)
  if (file === null) return null
  try {
    const { status, stdout } = await runProgram({
      file,
      // A file system monitor is a program that the repository's configuration names.
      args: ['-c', 'core.fsmonitor=false', 'status', '--porcelain', '-z', '--untracked-files=all'],
      cwd: root,
      env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
      signal,
      timeout: TIMEOUT,
    })
    return status === 0 ? stdout.toString('utf8') : null
  } catch (error) {
    if (error instanceof GsdError) throw error
    return null
  }
}
