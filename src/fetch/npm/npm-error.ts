import type { Code } from '../../codes.ts'
import { GsdError } from '../../errors.ts'
import type { ProcessResult } from '../../platform/process.ts'
import { cleanText, quote } from '../../redact.ts'
import { sortedVersions, type Packument } from './packument.ts'

interface ErrorPattern {
  readonly pattern: RegExp
  readonly code: Code
  readonly hint: string
}

const LOGIN_HINT = 'log in with npm login, or set a token in ~/.npmrc; npm whoami checks it'
const NETWORK_HINT = 'check the network; npm ping says whether the registry of ~/.npmrc answers'

const ERROR_PATTERNS: readonly ErrorPattern[] = [
  { pattern: /^E404$/, code: 'FETCH_NOT_FOUND', hint: `check the spelling; if it is private: ${LOGIN_HINT}` },
  { pattern: /^(?:ETARGET|ENOVERSIONS)$/, code: 'FETCH_NO_VERSION', hint: 'npm view <name> versions lists them' },
  { pattern: /^(?:E401|E403|ENEEDAUTH|EOTP|EAUTH.*)$/, code: 'FETCH_AUTH', hint: LOGIN_HINT },
  {
    pattern: /^EINTEGRITY$/,
    code: 'INTEGRITY_MISMATCH',
    hint: 'do not install it: the registry serves a different file than it states; tell its author',
  },
  {
    pattern: /^(?:E429|E5\d\d)$/,
    code: 'FETCH_NPM',
    hint: 'try again later; npm ping says whether the registry answers',
  },
  { pattern: /TIMEOUT|ETIMEDOUT/, code: 'FETCH_TIMEOUT', hint: NETWORK_HINT },
  {
    pattern: /CERT|SELF_SIGNED|UNABLE_TO_/,
    code: 'FETCH_NETWORK',
    hint: 'if your organisation has its own certificate authority, set npm’s cafile or NODE_EXTRA_CA_CERTS to its file',
  },
  {
    pattern: /^(?:ENOTFOUND|EAI_AGAIN|ECONN.*|EHOST.*|ENET.*|EPIPE|FETCH_ERROR)$/,
    code: 'FETCH_NETWORK',
    hint: NETWORK_HINT,
  },
]

/** The error for a failed run of npm, with npm's own reason. `known`: the registry's data about the package. */
export const npmError = (ran: ProcessResult, named: string, known: Packument | null): GsdError => {
  const said = reasonOf(ran)
  const { code, hint } = ERROR_PATTERNS.find(({ pattern }) => pattern.test(said.code)) ?? {
    code: 'FETCH_NPM' as const,
    hint: `try it yourself: npm view ${named.slice('npm:'.length)}`,
  }
  return new GsdError(code, `${quote(named)} cannot be fetched; npm says: ${said.text}`, {
    hint: code === 'FETCH_NO_VERSION' && known !== null ? versionsHint(known) : hint,
    details: { npm: said.code, stderr: cleanText(ran.stderr) },
  })
}

const MAX_SHOWN = 5

/** The newest versions, and the tags. */
export const versionsHint = (known: Packument): string => {
  const versions = sortedVersions(known).slice(0, MAX_SHOWN)
  const tags = [...known.tags.keys()].slice(0, MAX_SHOWN)
  if (versions.length === 0) return 'it has no versions'
  return `its newest versions are ${versions.join(', ')}${tags.length === 0 ? '' : `; its tags are ${tags.join(', ')}`}`
}

interface Reason {
  readonly code: string
  readonly text: string
}

/** With `--json` npm prints a failure as JSON, except for early failures, which are only in its log. */
const reasonOf = ({ stdout, stderr, status }: ProcessResult): Reason => {
  const log = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !/complete log of this run/.test(line))
  const logged = {
    code: log.find((line) => /^code \S+$/.test(line))?.slice('code '.length) ?? '',
    words: log.find((line) => !/^(?:code|errno|syscall|network|path|method) /.test(line)),
  }
  const error = jsonError(stdout)
  return {
    code: error?.code || logged.code,
    text: firstLine(error?.summary) ?? logged.words ?? `nothing (exit status ${status ?? 'unknown'})`,
  }
}

const firstLine = (text: string | undefined): string | undefined =>
  text
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '')

const jsonError = (stdout: Buffer): { readonly code: string; readonly summary: string } | null => {
  try {
    const { error } = JSON.parse(stdout.toString('utf8')) as { error?: { code?: unknown; summary?: unknown } }
    return { code: String(error?.code ?? ''), summary: String(error?.summary ?? '') }
  } catch {
    return null
  }
}
