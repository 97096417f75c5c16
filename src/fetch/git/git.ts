import { join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import type { Disk } from '../../platform/disk.ts'
import {
  ProgramNotFound,
  runProgram,
  OutputTooLarge,
  ProcessTimeout,
  type ProcessOptions,
  type ProcessResult,
} from '../../platform/process.ts'
import { quote } from '../../redact.ts'
import type { FetchContext } from '../fetcher.ts'
import { PIN_FIRST_HINT, refuseOffline } from '../offline.ts'
import { gitEnvironment, gitSettings } from './git-environment.ts'
import { gitError, isRedirect } from './git-error.ts'
import type { GitRemote } from './git-remote.ts'

/** Bytes that one fetch may bring. A bundle is far smaller; a repository around it need not be. */
const MAX_FETCH_BYTES = 1024 * 1024 * 1024
/** Milliseconds. */
const TIMEOUTS = { list: 60_000, fetch: 15 * 60_000, read: 5 * 60_000 } as const
/** Milliseconds for which a fetch, which tells of its progress all the time, may say nothing. */
const IDLE_TIMEOUT = 60_000

/** git, on one repository of our own and one url. */
export interface Git {
  readonly url: string
  /** Says that the repository has another folder now. */
  setGitDir(gitDir: string): void
  /** Contacts the url. The answer may be a failure, to be looked at. `time`: which bound holds. */
  contact(time: 'list' | 'fetch', args: (url: string) => readonly string[], input?: string): Promise<ProcessResult>
  /** Reads what is here, and contacts nobody. @throws FETCH_GIT, FETCH_NO_REF where git fails */
  read(args: readonly string[], options?: Pick<ProcessOptions, 'input' | 'onStdout'>): Promise<Buffer>
  /** The failure as an error, without what was secret. */
  error(ran: ProcessResult): GsdError
}

export interface GitOptions {
  readonly url: string
  readonly gitDir: string
  readonly remote: GitRemote
}

/** Where redirects have to be judged, or a secret could go along, git follows none: each is found and judged here. */
export const openGit = (context: FetchContext, { url, gitDir: first, remote }: GitOptions): Git => {
  const { disk, env, signal, checkPolicy, report } = context
  const { environment, contactedUrl } = remote
  const followRedirects = checkPolicy === null && environment.header === null
  const secrets = secretsOf(environment.header?.line ?? '')
  let gitDir = first
  let address = url
  const run = (
    program: Omit<ProcessOptions, 'file' | 'cwd' | 'env' | 'signal'>,
    protocols: string,
  ): Promise<ProcessResult> =>
    withProcessErrors(url, () =>
      runProgram({
        ...program,
        file: 'git',
        args: [...gitSettings(followRedirects), ...program.args],
        cwd: gitDir,
        env: gitEnvironment(env, { ...environment, gitDir, protocols }),
        signal,
      }),
    )
  return {
    url,
    setGitDir: (moved) => void (gitDir = moved),
    async contact(time, args, input = '') {
      refuseOffline(context, url, PIN_FIRST_HINT)
      const onTick = (): void => checkSize(sizeOfObjects(disk, gitDir), url)
      const onStderr = (text: string): void => {
        const [, share] = /.*Receiving objects: +(\d+)%/s.exec(text) ?? []
        if (share !== undefined) report({ kind: 'progress', text: `git: receiving ${url} ${share} %` })
      }
      const once = (): Promise<ProcessResult> =>
        run(
          { args: args(address), input, timeout: TIMEOUTS[time], idleTimeout: IDLE_TIMEOUT, onTick, onStderr },
          environment.protocols,
        )
      const ran = await once()
      if (ran.status === 0 || !isRedirect(ran.stderr) || address !== url) return ran
      const { redirectedUrl: movedAddress } = await import('./redirected-url.ts')
      address = (await movedAddress(contactedUrl, context)) ?? url
      return address === url ? ran : once()
    },
    async read(args, options = {}) {
      const ran = await run({ args, timeout: TIMEOUTS.read, ...options }, '-')
      if (ran.status !== 0) throw gitError(ran.stderr, url)
      return ran.stdout
    },
    error: (ran) => gitError(ran.stderr, url, { secrets, authHint: remote.authHint }),
  }
}

/** The user's git configuration, as far as it decides who is contacted and how; `gitDir`: any repository of our own. */
export const readGitConfig = async (
  { env, signal }: FetchContext,
  { url, gitDir }: Pick<GitOptions, 'url' | 'gitDir'>,
): Promise<string> => {
  const ran = await withProcessErrors(url, () =>
    runProgram({
      file: 'git',
      args: ['config', '-z', '--get-regexp', '^(url\\..*\\.insteadof|core\\.sshcommand)$'],
      cwd: gitDir,
      env: gitEnvironment(env, { gitDir, protocols: '-', header: null, ssh: null }),
      timeout: TIMEOUTS.read,
      signal,
    }),
  )
  // 1: there is none.
  if (ran.status === 0 || ran.status === 1) return ran.stdout.toString('utf8')
  throw gitError(ran.stderr, url)
}

const withProcessErrors = async (url: string, work: () => Promise<ProcessResult>): Promise<ProcessResult> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProgramNotFound) {
      throw new GsdError('FETCH_NO_GIT', `${quote(url)} needs git, and there is no git on the PATH`, {
        hint: 'install git, or install from npm or an archive instead',
        cause: error,
      })
    }
    if (error instanceof ProcessTimeout) {
      throw new GsdError('FETCH_TIMEOUT', `${quote(url)}: git came to ${error.message}`, {
        hint: 'try again; if it is large, name the folder with &path:',
        cause: error,
      })
    }
    if (error instanceof OutputTooLarge)
      throw tooLarge(url, 'lists more files or refs than can be looked through', error)
    throw error
  }
}

const checkSize = (size: number, url: string): void => {
  if (size > MAX_FETCH_BYTES) throw tooLarge(url, `sends more than ${formatSize(MAX_FETCH_BYTES)}`)
}

const tooLarge = (url: string, what: string, cause?: unknown): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url)} ${what}`, {
    hint: 'name the folder of the capability with &path:, or install a packed archive',
    cause,
  })

/** The header's value, and what stands behind its scheme. */
const secretsOf = (line: string): readonly string[] => {
  const value = line.replace(/^[^:]*: */, '')
  return [value, value.replace(/^\S+ +/, '')]
}

/** Bytes of everything fetched into a repository so far, also of what git has not given a name yet. */
const sizeOfObjects = (disk: Disk, dir: string): number => {
  try {
    const packs = join(dir, 'objects', 'pack')
    return disk.readdirSync(packs).reduce((sum, name) => sum + disk.lstatSync(join(packs, name)).size, 0)
  } catch {
    // A file that is being renamed.
    return 0
  }
}
