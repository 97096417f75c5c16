import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { listRuntimeHomes } from '../host/runtimes/built-in-runtimes.ts'
import { expandHome } from '../host/runtimes/resolve-home.ts'
import { realDisk } from '../platform/disk.ts'
import { processIdentity } from '../platform/identity.ts'
import { cacheFolder, userHome } from '../platform/user-folders.ts'
import { ProcessMemory } from '../process-memory.ts'
import { quote } from '../redact.ts'
import { readHostVersion } from '../state/config/host-version.ts'
import { resolvePaths } from '../state/config/resolve-paths.ts'

/** What a command line or a test sets. */
export interface ContextOptions extends Pick<Context, 'env' | 'signal' | 'report'> {
  /** `--cwd`; blank or undefined: the working directory of the process. */
  readonly cwd?: string | undefined
  /** Default: the user's cache folder. */
  readonly cache?: string
  /** `--project` */
  readonly project?: string | undefined
  /** `--host-version` */
  readonly hostVersion?: string | undefined
  /** `--first-party` */
  readonly firstParty?: string | undefined
  readonly offline?: boolean
  /** `--timeout`, in seconds. */
  readonly timeout?: string | undefined
}

/**
 * The composition root: reads the environment once, so that nothing below does.
 * @throws GsdError USAGE_BAD_VALUE for an invalid folder, version or home
 */
export const makeContext = (request: ContextOptions): Context => {
  const { env, signal, report } = request
  const cwd = request.cwd?.trim() ? requireFolder('--cwd', resolve(request.cwd)) : workingDirectory(env)
  const home = userHome(env)
  const gsdHome = env['GSD_HOME']
  const { user, global, project } = resolvePaths({ cwd, home, gsdHome, project: request.project })
  requireRootFolder(gsdHome?.trim() ? 'GSD_HOME' : 'HOME', global.realRoot)
  const { hostVersion, warnings } = readHostVersion({
    flag: request.hostVersion,
    env: env['GSD_VERSION'],
    project: project?.root ?? null,
    homes: listRuntimeHomes({ env, home }),
  })
  for (const diagnostic of warnings) report({ kind: 'warning', diagnostic })
  return {
    env,
    cwd,
    home,
    user,
    global,
    project,
    cache: request.cache ?? cacheFolder(home),
    hostVersion,
    firstParty:
      request.firstParty === undefined
        ? null
        : requireFolder('--first-party', resolve(cwd, expandHome(request.firstParty, home))),
    offline: request.offline ?? false,
    fetchTimeout: parseTimeout(request.timeout),
    disk: realDisk,
    memory: new ProcessMemory(),
    identity: processIdentity(),
    now: Date.now,
    signal,
    report,
  }
}

/** The global root is created later if missing, which is impossible inside a file. */
const requireRootFolder = (variable: string, root: string): void => {
  let at = root
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at)
  if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== false) return
  const what = at === root ? 'is not a folder' : `is inside ${quote(at)}, which is not a folder`
  throw new GsdError('USAGE_BAD_VALUE', `${variable} ${quote(root)} ${what}`, { hint: `set ${variable} to a folder` })
}

const requireFolder = (flag: string, folder: string): string => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new GsdError('USAGE_BAD_VALUE', `${flag} ${quote(folder)} is not a folder`, { hint: 'name an existing folder' })
}

/** Milliseconds; a download ends after ten minutes by default. */
const DEFAULT_FETCH_TIMEOUT = 10 * 60_000
/** Seconds. */
const MAX_TIMEOUT = 24 * 60 * 60

const parseTimeout = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_FETCH_TIMEOUT
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= MAX_TIMEOUT) return Math.ceil(seconds * 1000)
  throw new GsdError('USAGE_BAD_VALUE', `--timeout ${quote(text)} is not a number of seconds`, {
    hint: `write a number from 1 to ${MAX_TIMEOUT}; without it a download ends after ${DEFAULT_FETCH_TIMEOUT / 1000} s`,
  })
}

/** A deleted working directory has no path; the shell still has its name. */
const workingDirectory = (env: Context['env']): string => {
  try {
    return process.cwd()
  } catch (error) {
    const remembered = env['PWD'] ?? ''
    if (isAbsolute(remembered)) return remembered
    throw new GsdError('USAGE_BAD_VALUE', 'the working directory no longer exists', {
      hint: 'change to a folder that exists',
      cause: error,
    })
  }
}
