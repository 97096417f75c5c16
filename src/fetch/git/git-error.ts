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

/** The oldest git that has every option we use. */
const OLDEST_GIT = '2.36'

/** git's messages. Network failures come first, because ssh always adds a message about access rights. */
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
    hint: 'if your organisation has its own certificate authority, set git’s http.sslCAInfo or GIT_SSL_CAINFO to its file',
  },
  {
    pattern:
      /is corrupt|inflate|garbage at end|hash mismatch|sha1 mismatch|unable to (?:unpack|parse)|malformed|truncated|too-short tree|empty filename|bad tree|bad object|invalid object|(?:index-pack|unpack-objects) failed/i,
    code: 'INTEGRITY_GIT_OBJECT',
    hint: 'an object of the repository is damaged: tell whoever runs it; git fsck names it',
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
    hint: 'it belongs to another user; if you trust that user: git config --global --add safe.directory <its path>',
  },
  {
    pattern: /remote host identification has changed/i,
    code: 'FETCH_AUTH',
    hint: 'its key has changed: ask whoever runs the host before you remove the old one with ssh-keygen -R',
  },
  {
    pattern: /host key verification failed/i,
    code: 'FETCH_AUTH',
    hint: 'connect once with ssh to check and accept the host’s key',
  },
  {
    pattern: /permission denied \(|publickey|too many authentication failures/i,
    code: 'FETCH_AUTH',
    hint: 'load your key into the ssh agent (ssh-add), or use the https url',
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
    hint: 'the ref does not point to a commit: use another',
  },
  {
    pattern: /protocol "?\w+"? (?:is )?not supported or disabled/i,
    code: 'FETCH_REDIRECT',
    hint: 'its server redirects to an address that is not encrypted: use another url',
  },
  {
    pattern: /transport '.*' not allowed/i,
    code: 'FETCH_GIT',
    hint: 'only https, ssh and file are supported: check url.*.insteadOf in your git configuration',
  },
  { pattern: /error: (?:429|5\d\d)/, code: 'FETCH_HTTP', hint: 'its server is busy or broken: try again later' },
  {
    pattern: /error: 30\d|redirect/i,
    code: 'FETCH_REDIRECT',
    hint: 'the repository has moved: use its new url',
  },
]

/** What else a message depends on. */
interface ErrorDetails {
  /** Removed from git's messages. */
  readonly secrets?: readonly string[]
  /** The hint where the host refuses configured credentials; null where none are configured. */
  readonly authHint?: string | null
}

/** The error for a failed run of git, with git's own message. */
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
/** Progress lines of git and the server. */
const PROGRESS =
  /^(?:remote: +)?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Checking|Total|From|\*|\[new|$)/

/** Lines that git prints after any failure of ssh. */
const GENERIC_SSH_LINES =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.)$/

/** The lines with the reason, as one. */
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
