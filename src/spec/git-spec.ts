import type { Code } from '../codes.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseFragment, splitFragment } from './git-fragment.ts'
import {
  KNOWN_HOSTS,
  knownHost,
  type KnownHost,
  type KnownHostName,
  repositoryName,
  specForPage,
} from './known-hosts.ts'
import { formatRemoteUrl, parseRemoteUrl, type RemoteUrl } from './remote-url.ts'
import type { GitSpec, RawUrl, SpecContext, SpecParser } from './spec.ts'

/** A repository by its url, with any end: `ssh://…`, `git+https://…`, `git+ssh://…`. */
export const parseGitUrl = ({ url, fragment, text }: RawUrl, { allowHttp = false }: SpecContext): GitSpec =>
  gitSpecFromUrl(parseRemoteUrl(url, allowHttp), fragment, text)

/** The same for a parsed url. */
export const gitSpecFromUrl = (url: RemoteUrl, fragment: string | null, text: string): GitSpec => ({
  kind: 'git',
  url: formatRemoteUrl(normalizeRepositoryUrl(url, text)),
  ...parseFragment(fragment),
})

/** One form for each repository: no slash at the end, no query, and `.git` on known hosts. */
const normalizeRepositoryUrl = (url: RemoteUrl, text: string): RemoteUrl => {
  const path = url.path.replace(/\/$/, '')
  const fault = repositoryUrlProblem(url, path)
  if (fault !== null) throw new GsdError(fault.code, `${quote(text)} ${fault.what}`, { hint: fault.hint })
  const known = knownHostOfUrl(url)
  return { ...url, path: known === null ? path : `/${parseRepositoryPath(known, path, text)}.git` }
}

const repositoryUrlProblem = (
  url: RemoteUrl,
  path: string,
): { readonly code: Code; readonly what: string; readonly hint: string } | null => {
  if (url.query !== null) {
    return {
      code: 'SPEC_MALFORMED',
      what: 'has a query, which git does not use',
      hint: 'remove the "?" and what follows',
    }
  }
  if (path === '' || url.path.includes('//')) {
    return { code: 'SPEC_MALFORMED', what: 'names no repository', hint: 'write <url>/<owner>/<repo>.git' }
  }
  if (path.startsWith('/-')) {
    return { code: 'SPEC_REFUSED', what: 'has a path that starts with "-", as a flag does', hint: 'check the url' }
  }
  return null
}

/** The known host of an https url; another port can be another server. */
export const knownHostOfUrl = ({ scheme, host, port }: RemoteUrl): KnownHost | null =>
  scheme === 'https' && port === null ? knownHost(host) : null

/** `owner/repo`; throws for other pages of a known host. */
const parseRepositoryPath = (known: KnownHost, path: string, text: string): string => {
  const name = repositoryName(known, path.slice(1))
  if (name !== null) return name
  const page = specForPage(known, path)
  const hint = page === null ? `a repository there is https://${known.host}/<owner>/<repo>` : `did you mean ${page}?`
  throw new GsdError('SPEC_MALFORMED', `${quote(text)} is a page of ${known.host}, not a repository`, { hint })
}

/** `github:owner/repo`, `gitlab:group/sub/repo`, `bitbucket:owner/repo`, each with a fragment: an https url. */
export const parseShorthand: SpecParser = (text) => {
  const [, prefix, rest] = /^([a-z]+):(?!\/\/|:)(.*)$/s.exec(text) ?? []
  if (prefix === undefined || rest === undefined || !Object.hasOwn(KNOWN_HOSTS, prefix)) return null
  const known = KNOWN_HOSTS[prefix as KnownHostName]
  const [path, fragment] = splitFragment(rest)
  const name = repositoryName(known, path)
  if (name === null) {
    const [, repository, ref] = /^([^@]+)@([^@]+)$/.exec(path) ?? []
    const hint =
      repository === undefined ? `write ${prefix}:<owner>/<repo>` : `did you mean ${prefix}:${repository}#${ref}?`
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} names no repository of ${known.host}`, { hint })
  }
  return { kind: 'git', url: `https://${known.host}/${name}.git`, ...parseFragment(fragment) }
}
