import { GsdError } from '../../errors.ts'
import { gitHost, isLoopback } from '../../spec/url-authority.ts'
import type { FetchContext } from '../fetcher.ts'
import { type Authorization, findAuthorization, httpContext } from '../http-context.ts'
import type { GitEnvironment } from './git-environment.ts'

/** How the user's git contacts a repository. */
export interface GitRemote {
  /** The url after the user's `insteadOf` rules. */
  readonly contactedUrl: string
  /** Host that is contacted; null for a local folder. */
  readonly host: string | null
  /** The hint where the host refuses configured credentials; null where none are configured. */
  readonly authHint: string | null
  readonly environment: Omit<GitEnvironment, 'gitDir' | 'objects'>
}

const SSH_OPTIONS = '-oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15 -oServerAliveCountMax=2'

/** Resolves how a url is contacted. `settings`: the user's `url.*.insteadof` and `core.sshcommand`. */
export const resolveRemote = (url: string, settings: GitConfig, context: FetchContext): GitRemote => {
  const contactedUrl = applyInsteadOf(url, settings)
  const authorization = /^https?:/.test(contactedUrl) ? findAuthorization(new URL(contactedUrl), context) : null
  return {
    contactedUrl,
    authHint: authorization?.configured === true ? authorization.hint : null,
    host: hostOf(contactedUrl),
    environment: {
      protocols: protocolsFor(contactedUrl, context.allowHttp),
      header: headerOf(contactedUrl, authorization),
      ssh: /^https?:|^file:/.test(contactedUrl) ? null : sshCommand(settings, context.env),
    },
  }
}

/** Keys and values of git's configuration; git prints section and name in lower case. */
export type GitConfig = readonly (readonly [key: string, value: string])[]

/** `git config -z --get-regexp` prints `key LF value NUL`. */
export const parseGitConfig = (text: string): GitConfig =>
  text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = entry.indexOf('\n')
      return at === -1 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)]
    })

/** The longest prefix wins, as in git. */
const applyInsteadOf = (url: string, settings: GitConfig): string => {
  let best: { readonly base: string; readonly prefix: string } | null = null
  for (const [key, prefix] of settings) {
    const [, base] = /^url\.(.*)\.insteadof$/is.exec(key) ?? []
    if (base === undefined || !url.startsWith(prefix)) continue
    if (best === null || prefix.length > best.prefix.length) best = { base, prefix }
  }
  return best === null ? url : best.base + url.slice(best.prefix.length)
}

/** `insteadOf` may produce `host:path` without a user. */
const hostOf = (url: string): string | null => {
  const host = gitHost(url) ?? (url.includes('://') ? null : (/^([^/:]+):/.exec(url)?.[1] ?? null))
  return host?.toLowerCase() ?? null
}

const protocolsFor = (url: string, allowHttp: boolean): string =>
  allowHttp && url.startsWith('http:') && isLoopback(hostOf(url) ?? '') ? 'https:ssh:file:http' : 'https:ssh:file'

const headerOf = (url: string, authorization: Authorization | null): GitEnvironment['header'] => {
  const [header] = Object.entries(authorization?.headers ?? {})
  if (header === undefined) return null
  const { host, protocol } = new URL(url)
  return { url: `${protocol}//${host}/`, line: `${header[0]}: ${header[1]}` }
}

/** The user's ssh command is kept; ssh itself is told never to prompt. */
const sshCommand = (settings: GitConfig, env: FetchContext['env']): string | null => {
  if (env['GIT_SSH_COMMAND'] !== undefined || env['GIT_SSH'] !== undefined) return null
  const own = settings.findLast(([key]) => key === 'core.sshcommand')?.[1]
  if (own === undefined) return `ssh ${SSH_OPTIONS}`
  return /^(?:\S*\/)?ssh(?:\s|$)/.test(own) ? `${own} ${SSH_OPTIONS}` : null
}

const REFS_PATH = '/info/refs'

/**
 * Where the server of a repository redirects to, or null where that cannot be found out. Every host on the way is checked
 * before it is contacted. @throws GsdError POLICY_*, INTERRUPTED
 */
export const redirectedUrl = async (url: string, context: FetchContext): Promise<string | null> => {
  if (!/^https?:/.test(url)) return null
  const { httpGet } = await import('../../platform/http/get.ts')
  const { timeoutsOf } = await import('../../platform/http/send-request.ts')
  try {
    const request = {
      url: `${url}${REFS_PATH}?service=git-upload-pack`,
      accept: '*/*',
      timeouts: timeoutsOf(context.fetchTimeout),
    }
    const { body, url: final } = await httpGet(request, httpContext(context))
    body.destroy()
    return final.pathname.endsWith(REFS_PATH) ? `${final.origin}${final.pathname.slice(0, -REFS_PATH.length)}` : null
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED' || error.code.startsWith('POLICY_')) throw error
    return null
  }
}
