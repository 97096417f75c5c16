import { sizeText } from '../../bundle/limits.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { FetchContext } from '../fetched.ts'
import { PIN_FIRST, refuseOffline } from '../offline.ts'
import { NoProgram, runProgram, SaidTooMuch, TookTooLong, type Program, type Ran } from '../run-program.ts'
import { gitEnv, gitSettings } from './git-env.ts'
import { gitFault, isRedirect } from './git-fault.ts'
import type { Reach } from './reach.ts'
import { sizeOfObjects } from './repository.ts'

/** Bytes that one fetch may bring. A bundle is far smaller; a repository around it need not be. */
const LARGEST_FETCH = 1024 * 1024 * 1024
/** Milliseconds. */
const TIMES = { list: 60_000, fetch: 15 * 60_000, read: 5 * 60_000 } as const
/** Milliseconds for which a fetch, which tells of its progress all the time, may say nothing. */
const SILENCE = 60_000

/** git, on one repository of our own and one url. */
export interface Git {
  readonly url: string
  /** Says that the repository has another folder now. */
  rename(gitDir: string): void
  /** Contacts the url. The answer may be a failure, to be looked at. `time`: which bound holds. */
  contact(time: 'list' | 'fetch', args: (url: string) => readonly string[], input?: string): Promise<Ran>
  /** Reads what is here, and contacts nobody. @throws FETCH_GIT, FETCH_NO_REF where git fails */
  read(args: readonly string[], options?: Pick<Program, 'input' | 'take'>): Promise<Buffer>
  /** The failure as an error, without what was secret. */
  fault(ran: Ran): GsdError
}

export interface GitChoice {
  readonly url: string
  readonly gitDir: string
  readonly reach: Reach
}

/** Where redirects have to be judged, or a secret could go along, git follows none: each is found and judged here. */
export const openGit = (context: FetchContext, { url, gitDir: first, reach }: GitChoice): Git => {
  const { disk, env, signal, allow, report } = context
  const { world, contacted } = reach
  const followRedirects = allow === null && world.header === null
  const secrets = secretsOf(world.header?.line ?? '')
  let gitDir = first
  let address = url
  const run = (program: Omit<Program, 'file' | 'cwd' | 'env' | 'signal'>, protocols: string): Promise<Ran> =>
    inWords(url, () =>
      runProgram({
        ...program,
        file: 'git',
        args: [...gitSettings(followRedirects), ...program.args],
        cwd: gitDir,
        env: gitEnv(env, { ...world, gitDir, protocols }),
        signal,
      }),
    )
  return {
    url,
    rename: (moved) => void (gitDir = moved),
    async contact(time, args, input = '') {
      refuseOffline(context, url, PIN_FIRST)
      const watch = (): void => checkSize(sizeOfObjects(disk, gitDir), url)
      const hear = (text: string): void => {
        const [, share] = /.*Receiving objects: +(\d+)%/s.exec(text) ?? []
        if (share !== undefined) report({ kind: 'progress', text: `git: receiving ${url} ${share} %` })
      }
      const once = (): Promise<Ran> =>
        run({ args: args(address), input, time: TIMES[time], silence: SILENCE, watch, hear }, world.protocols)
      const ran = await once()
      if (ran.status === 0 || !isRedirect(ran.stderr) || address !== url) return ran
      const { movedAddress } = await import('./moved.ts')
      address = (await movedAddress(contacted, context)) ?? url
      return address === url ? ran : once()
    },
    async read(args, options = {}) {
      const ran = await run({ args, time: TIMES.read, ...options }, '-')
      if (ran.status !== 0) throw gitFault(ran.stderr, url)
      return ran.stdout
    },
    fault: (ran) => gitFault(ran.stderr, url, { secrets, auth: reach.auth }),
  }
}

/** The user's git configuration, as far as it decides who is contacted and how; `gitDir`: any repository of our own. */
export const readSettings = async (
  { env, signal }: FetchContext,
  { url, gitDir }: Pick<GitChoice, 'url' | 'gitDir'>,
): Promise<string> => {
  const ran = await inWords(url, () =>
    runProgram({
      file: 'git',
      args: ['config', '-z', '--get-regexp', '^(url\\..*\\.insteadof|core\\.sshcommand)$'],
      cwd: gitDir,
      env: gitEnv(env, { gitDir, protocols: '-', header: null, ssh: null }),
      time: TIMES.read,
      signal,
    }),
  )
  // 1: there is none.
  if (ran.status === 0 || ran.status === 1) return ran.stdout.toString('utf8')
  throw gitFault(ran.stderr, url)
}

const inWords = async (url: string, work: () => Promise<Ran>): Promise<Ran> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoProgram) {
      throw new GsdError('FETCH_NO_GIT', `${quote(url)} needs git, and there is no git on the PATH`, {
        hint: 'install git, or install from npm or an archive instead',
        cause: error,
      })
    }
    if (error instanceof TookTooLong) {
      throw new GsdError('FETCH_TIMEOUT', `${quote(url)}: git came to ${error.message}`, {
        hint: 'try again; if it is large, name the folder with &path:',
        cause: error,
      })
    }
    if (error instanceof SaidTooMuch) throw tooLarge(url, 'lists more files or refs than can be looked through', error)
    throw error
  }
}

const checkSize = (size: number, url: string): void => {
  if (size > LARGEST_FETCH) throw tooLarge(url, `sends more than ${sizeText(LARGEST_FETCH)}`)
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
