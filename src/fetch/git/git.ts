import { join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import type { Disk } from '../../platform/disk.ts'
import { passTo } from '../../platform/process-output.ts'
import type { ProcessOptions, ProcessResult } from '../../platform/process.ts'
import { quote } from '../../redact.ts'
import type { FetchContext } from '../fetcher.ts'
import { PIN_FIRST_HINT, refuseOffline } from '../offline.ts'
import { runTool, type Tool } from '../run-tool.ts'
import { gitEnvironment, gitSettings } from './git-environment.ts'
import { gitError, isRedirect } from './git-error.ts'
import { type GitRemote, parseGitConfig, redirectedUrl, resolveRemote } from './git-remote.ts'
import { discardRepository, makeRepository } from './repository.ts'

/** Bytes that one fetch may transfer. A bundle is far smaller; the repository around it need not be. */
const MAX_FETCH_BYTES = 1024 * 1024 * 1024
/** Milliseconds. All contacts of one fetch together may take the time of one download, too. */
const TIMEOUTS = { list: 60_000, fetch: Infinity, read: 5 * 60_000 } as const
/** Milliseconds without output; a fetch reports its progress all the time. */
const IDLE_TIMEOUT = 60_000

/** git, run on one repository of the cache and one url. */
export interface Git {
  readonly url: string
  /** Tells that the repository was moved into the cache, where only its objects are used. */
  setKept(kept: string): void
  /** Contacts the url and returns the result, failed or not. `kind` selects the timeout. */
  contact(kind: 'list' | 'fetch', args: (url: string) => readonly string[], input?: string): Promise<ProcessResult>
  /** Reads the local repository without network access. @throws FETCH_GIT, FETCH_NO_REF where git fails */
  read(args: readonly string[], options?: ReadOptions): Promise<Buffer>
  /** The error for a failed run, with secrets removed. */
  error(ran: ProcessResult): GsdError
}

interface ReadOptions {
  readonly input?: string
  /** Takes the output as it comes; then none is returned. */
  readonly onStdout?: (chunk: Buffer) => void
}

/**
 * Where git works: in a repository that this process has created, or on the objects of a cached one. Of that no other file
 * is used: whoever can write to the cache could set configuration, replacements or other folders of objects.
 */
export type GitLocation = { readonly url: string } & ({ readonly gitDir: string } | { readonly kept: string })

/**
 * git for a url, after policy has allowed the host that it really contacts. The user's git configuration is read only
 * where something depends on it. @throws GsdError POLICY_*, FETCH_NO_GIT, FETCH_GIT
 */
export const openRemote = async (context: FetchContext, at: GitLocation): Promise<Git> => {
  const { checkPolicy, viaCatalog } = context
  const isPlain = /^(?:https?|file):/.test(at.url)
  const needsConfig = checkPolicy !== null || !isPlain || context.config().auth.size > 0
  const settings = needsConfig ? parseGitConfig(await readGitConfig(context, at)) : []
  const remote = resolveRemote(at.url, settings, context)
  if (remote.host !== null) checkPolicy?.({ kind: 'host', host: remote.host, catalog: viaCatalog })
  return openGit(context, at, remote)
}

const openGit = (context: FetchContext, at: GitLocation, remote: GitRemote): Git => {
  const { url } = at
  const { disk, env, signal, checkPolicy, report } = context
  const { environment, contactedUrl } = remote
  // Where policy has to judge redirects, or a secret could be sent along, git follows none; they are resolved here.
  const followRedirects = checkPolicy === null && environment.header === null
  const secrets = secretsOf(environment.header?.line ?? '')
  let location = at
  let address = url
  const deadline = performance.now() + context.fetchTimeout
  const run = (options: Omit<ProcessOptions, 'file' | 'cwd' | 'env' | 'signal'>, protocols: string) =>
    withGitDir(context, location, ({ gitDir, objects }) =>
      runTool(gitTool(url), {
        ...options,
        args: [...gitSettings(followRedirects), ...options.args],
        cwd: gitDir,
        env: gitEnvironment(env, { ...environment, gitDir, objects, protocols }),
        signal,
      }),
    )
  return {
    url,
    setKept: (kept) => void (location = { url, kept }),
    async contact(kind, args, input = '') {
      refuseOffline(context, url, PIN_FIRST_HINT)
      const onProgress = (chunk: Buffer): void => {
        const [, share] = /.*Receiving objects: +(\d+)%/s.exec(chunk.toString('utf8')) ?? []
        if (share !== undefined) report({ kind: 'progress', text: `git: receiving ${url} ${share} %` })
      }
      const once = (): Promise<ProcessResult> =>
        run(
          {
            args: args(address),
            input,
            timeout: Math.max(1, Math.round(Math.min(TIMEOUTS[kind], deadline - performance.now()))),
            idleTimeout: IDLE_TIMEOUT,
            onTick: () => checkSize(sizeOfObjects(disk, objectsOf(location)), url),
            stderr: { limit: 64 * 1024, overflow: 'keep-end', onData: onProgress },
          },
          environment.protocols,
        )
      const ran = await once()
      if (ran.status === 0 || !isRedirect(ran.stderr) || address !== url) return ran
      address = (await redirectedUrl(contactedUrl, context)) ?? url
      return address === url ? ran : once()
    },
    async read(args, { input = '', onStdout } = {}) {
      const stdout = onStdout === undefined ? {} : { stdout: passTo(onStdout) }
      const ran = await run({ args, input, timeout: TIMEOUTS.read, ...stdout }, '-')
      if (ran.status !== 0) throw gitError(ran.stderr, url)
      return ran.stdout
    },
    error: (ran) => gitError(ran.stderr, url, { secrets, authHint: remote.authHint }),
  }
}

/** The part of the user's git configuration that decides which host is contacted and how. */
const readGitConfig = async (context: FetchContext, at: GitLocation): Promise<string> => {
  const { env, signal } = context
  const { url } = at
  const ran = await withGitDir(context, at, ({ gitDir }) =>
    runTool(gitTool(url), {
      args: ['config', '-z', '--get-regexp', '^(url\\..*\\.insteadof|core\\.sshcommand)$'],
      cwd: gitDir,
      env: gitEnvironment(env, { gitDir, protocols: '-', header: null, ssh: null }),
      timeout: TIMEOUTS.read,
      signal,
    }),
  )
  // git config exits with 1 where no setting matches.
  if (ran.status === 0 || ran.status === 1) return ran.stdout.toString('utf8')
  throw gitError(ran.stderr, url)
}

/** Runs work with the folders that git uses: for cached objects a repository without anything, for this run only. */
const withGitDir = async <T>(
  context: FetchContext,
  at: GitLocation,
  work: (folders: { readonly gitDir: string; readonly objects: string | null }) => Promise<T>,
): Promise<T> => {
  if ('gitDir' in at) return work({ gitDir: at.gitDir, objects: null })
  const gitDir = makeRepository(context, at.url)
  try {
    return await work({ gitDir, objects: objectsOf(at) })
  } finally {
    discardRepository(context.disk, gitDir)
  }
}

const objectsOf = (at: GitLocation): string => join('gitDir' in at ? at.gitDir : at.kept, 'objects')

const gitTool = (url: string): Tool => ({
  file: 'git',
  source: url,
  missing: { code: 'FETCH_NO_GIT', hint: 'install git, or install from npm or an archive instead' },
  timeoutHint: 'try again; --timeout <seconds> allows more; if the repository is large, select the folder with &path:',
  tooLarge: (cause) => tooLarge(url, 'has too many files or refs to list', cause),
})

const checkSize = (size: number, url: string): void => {
  if (size > MAX_FETCH_BYTES) throw tooLarge(url, `sends more than ${formatSize(MAX_FETCH_BYTES)}`)
}

const tooLarge = (url: string, what: string, cause?: unknown): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url)} ${what}`, {
    hint: 'select the folder of the capability with &path:, or install a packed archive',
    cause,
  })

/** The value of a header, with its scheme and without. */
const secretsOf = (line: string): readonly string[] => {
  const value = line.replace(/^[^:]*: */, '')
  return [value, value.replace(/^\S+ +/, '')]
}

/** Bytes fetched into a repository so far, unfinished packs included. */
const sizeOfObjects = (disk: Disk, objects: string): number => {
  try {
    const packs = join(objects, 'pack')
    return disk.readdirSync(packs).reduce((sum, name) => sum + disk.lstatSync(join(packs, name)).size, 0)
  } catch {
    // git renames files while it works.
    return 0
  }
}
