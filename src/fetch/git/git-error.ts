import type { Code } from '../../codes.ts'
import { GsdError } from '../../errors.ts'
import { cleanText, quote } from '../../redact.ts'
import { unknownHostHint } from '../../spec/unknown-host-hint.ts'
import { gitHost } from '../../spec/url-authority.ts'

interface ErrorPattern {
  readonly pattern: RegExp
  readonly code: Code
  readonly hint: string | ((url: string) => string)
}

const NETWORK_HINT = 'check host and network; behind a proxy set HTTPS_PROXY or git’s http.proxy'
const PRIVATE_HINT =
  'check the spelling; if it is private, set up a credential helper of git, an ssh url with a key in the agent, or "auth" in ~/.gsd/config.json'

/** The oldest git that knows every option we use. */
const OLDEST_GIT = '2.36'

/** What git says when it fails. A network that failed comes first: behind it ssh speaks of access rights in any case. */
const ERROR_PATTERNS: readonly ErrorPattern[] = [
  { pattern: /unknown (?:option|switch)/i, code: 'FETCH_GIT', hint: `update git: ${OLDEST_GIT} or newer is needed` },
  {
    pattern: /could not resolve|name or service not known|no address associated/i,
    code: 'FETCH_NETWORK',
    hint: (url) => unknownHostHint(gitHost(url) ?? ''),
  },
  {
    pattern: /certificate|SSL_ERROR|server verification failed/i,
    code: 'FETCH_NETWORK',
    hint: 'where your organisation has a certificate authority of its own, name its file in git’s http.sslCAInfo or GIT_SSL_CAINFO',
  },
  { pattern: /timed out|too slow|operation timeout/i, code: 'FETCH_TIMEOUT', hint: NETWORK_HINT },
  {
    pattern:
      /connection (?:refused|reset|closed)|failed to connect|couldn't connect|no route to host|unreachable|early EOF|unexpected disconnect|hung up|proxy/i,
    code: 'FETCH_NETWORK',
    hint: NETWORK_HINT,
  },
  {
    pattern: /dubious ownership/i,
    code: 'FETCH_AUTH',
    hint: 'it belongs to another user; where you trust that one: git config --global --add safe.directory <its path>',
  },
  {
    pattern: /remote host identification has changed/i,
    code: 'FETCH_AUTH',
    hint: 'its key is another one than before: ask whoever runs the host before you take the old one out with ssh-keygen -R',
  },
  {
    pattern: /host key verification failed/i,
    code: 'FETCH_AUTH',
    hint: 'connect once by hand with ssh to see and accept the host’s key',
  },
  {
    pattern: /permission denied \(|publickey|too many authentication failures/i,
    code: 'FETCH_AUTH',
    hint: 'load your key into the ssh agent (ssh-add), or write the https form',
  },
  {
    pattern:
      /could not read (?:username|password)|authentication failed|access denied|error: 40[13]|terminal prompts disabled/i,
    code: 'FETCH_AUTH',
    hint: PRIVATE_HINT,
  },
  {
    pattern: /not found|does not appear to be a git repository|does not exist|error: 404/i,
    code: 'FETCH_NOT_FOUND',
    hint: PRIVATE_HINT,
  },
  {
    pattern: /not a valid object name|not a tree object|needed a single revision/i,
    code: 'FETCH_NO_REF',
    hint: 'the ref leads to no commit: name another',
  },
  {
    pattern: /protocol "?\w+"? (?:is )?not supported or disabled/i,
    code: 'FETCH_REDIRECT',
    hint: 'its server leads to an address that is not encrypted: ask for one that is',
  },
  {
    pattern: /transport '.*' not allowed/i,
    code: 'FETCH_GIT',
    hint: 'only https, ssh and file are spoken: look at url.*.insteadOf in your git configuration',
  },
  { pattern: /error: (?:429|5\d\d)/, code: 'FETCH_HTTP', hint: 'its server is busy or broken: try again later' },
  {
    pattern: /error: 30\d|redirect/i,
    code: 'FETCH_REDIRECT',
    hint: 'the repository has moved: write its new address',
  },
]

/** What a message of a failure has to know. */
interface ErrorDetails {
  /** Cut out of git's words. */
  readonly secrets?: readonly string[]
  /** What to do where the host refuses what the user's configuration has for it; null where it has nothing. */
  readonly authHint?: string | null
}

/** A run of git that failed, with git's own words. */
export const gitError = (
  stderr: string,
  url: string,
  { secrets = [], authHint = null }: ErrorDetails = {},
): GsdError => {
  const said = withoutSecrets(stderr, secrets)
  const { code, hint } = ERROR_PATTERNS.find(({ pattern }) => pattern.test(said)) ?? {
    code: 'FETCH_GIT' as const,
    hint: `try it by hand: git ls-remote ${url}`,
  }
  return new GsdError(code, `${quote(url)} cannot be fetched; git says: ${summarizeStderr(said)}`, {
    hint: code === 'FETCH_AUTH' && authHint !== null ? authHint : typeof hint === 'string' ? hint : hint(url),
    details: { stderr: cleanText(said) },
  })
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== '').reduce((cut, secret) => cut.replaceAll(secret, '…'), text)

const MAX_LINES = 3
/** What git and the server tell while all is well. */
const PROGRESS =
  /^(?:remote: +)?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Checking|Total|From|\*|\[new|$)/

/** What git says of any failure of ssh, behind the reason. */
const GENERIC_SSH_LINES =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.)$/

/** The lines that say what is wrong, in one. */
const summarizeStderr = (stderr: string): string => {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:warning|hint):/i.test(line) && !PROGRESS.test(line))
  const own = lines.filter((line) => !GENERIC_SSH_LINES.test(line))
  const telling = (own.length === 0 ? lines : own).filter(
    (line) => /^(?:fatal|error|remote|ssh):/i.test(line) || /denied|failed|refused/i.test(line),
  )
  const shown = (telling.length > 0 ? telling : own.length > 0 ? own : lines).slice(0, MAX_LINES)
  return shown.length === 0 ? 'nothing' : shown.join(' / ')
}

/** The server has no use for the id of a commit that no ref points at. */
export const isCommitIdRefused = (stderr: string): boolean => /unadvertised object/i.test(stderr)
/** The server looked for the id and does not have it, or does not say so. */
export const isCommitIdUnknown = (stderr: string): boolean =>
  /not our ref|want \S+ not valid|no such remote ref/i.test(stderr)
/** The server cannot send a part of the history. */
export const isShallowRefused = (stderr: string): boolean =>
  /does not support shallow|shallow (?:clients|capabilities)/i.test(stderr)
/** The server has no ref of that name. */
export const isMissingRef = (stderr: string): boolean => /couldn't find remote ref/i.test(stderr)
export const isRedirect = (stderr: string): boolean =>
  /returned error: 30\d|unable to update url base from redirection/i.test(stderr)
/** The server sent everything, though only a part was asked for. */
export const isFilterIgnored = (stderr: string): boolean => /filtering not recognized/i.test(stderr)
