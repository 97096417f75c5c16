import type { Code } from '../codes.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { SpecContext, TypedUrl } from './form.ts'
import { parseFragment } from './git-fragment.ts'
import { knownHost, repositoryName, specForPage, type KnownHost } from './known-hosts.ts'
import { formatRemoteUrl, readRemoteUrl, type RemoteUrl } from './remote-url.ts'
import type { GitSpec } from './spec.ts'

/** A repository by its url, whatever the url ends in: `ssh://…`, `git+https://…`, `git+ssh://…`. */
export const gitSpec = ({ url, fragment, text }: TypedUrl, { allowHttp = false }: SpecContext): GitSpec =>
  gitSpecOf(readRemoteUrl(url, allowHttp), fragment, text)

/** The same, where the url has been read. */
export const gitSpecOf = (url: RemoteUrl, fragment: string | null, text: string): GitSpec => ({
  kind: 'git',
  url: formatRemoteUrl(repositoryUrl(url, text)),
  ...parseFragment(fragment),
})

/** One form for each repository: no slash at the end, no query, and `.git` where the host is known to take it. */
const repositoryUrl = (url: RemoteUrl, text: string): RemoteUrl => {
  const path = url.path.replace(/\/$/, '')
  const fault = faultOf(url, path)
  if (fault !== null) throw new GsdError(fault.code, `${quote(text)} ${fault.what}`, { hint: fault.hint })
  const known = knownHostOf(url)
  return { ...url, path: known === null ? path : `/${repositoryOn(known, path, text)}.git` }
}

const faultOf = (
  url: RemoteUrl,
  path: string,
): { readonly code: Code; readonly what: string; readonly hint: string } | null => {
  if (url.query !== null) {
    return {
      code: 'SPEC_MALFORMED',
      what: 'has a query, which git does not use',
      hint: 'take out what starts at the "?"',
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

/** The known host that an https url contacts; on another port there may be another server. */
export const knownHostOf = ({ scheme, host, port }: RemoteUrl): KnownHost | null =>
  scheme === 'https' && port === null ? knownHost(host) : null

/** `owner/repo`, or the error for a page of a known host that is not a repository's own. */
const repositoryOn = (known: KnownHost, path: string, text: string): string => {
  const name = repositoryName(known, path.slice(1))
  if (name !== null) return name
  const page = specForPage(known, path)
  const hint = page === null ? `a repository there is https://${known.host}/<owner>/<repo>` : `did you mean ${page}?`
  throw new GsdError('SPEC_MALFORMED', `${quote(text)} is a page of ${known.host}, not a repository`, { hint })
}
