import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseFragment } from './git-fragment.ts'
import { knownHost, repositoryName, specForPage } from './known-hosts.ts'
import type { SpecContext, TypedUrl } from './form.ts'
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
  if (url.query !== null)
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} has a query, which git does not use`, {
      hint: 'take out what starts at the "?"',
    })
  const path = url.path.replace(/\/$/, '')
  if (path === '' || url.path.includes('//'))
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} names no repository`, {
      hint: 'write <url>/<owner>/<repo>.git',
    })
  if (path.startsWith('/-'))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} has a path that starts with "-", as a flag does`)
  const known = url.scheme === 'https' && url.port === null ? knownHost(url.host) : null
  if (known === null) return { ...url, path }
  const name = repositoryName(known, path.slice(1))
  if (name === null) throw notARepository(url, text)
  return { ...url, path: `/${name}.git` }
}

/** For a page of a known host that is not a repository's own. */
export const notARepository = (url: RemoteUrl, text: string): GsdError => {
  const known = knownHost(url.host)
  const page = known === null ? null : specForPage(known, url.path)
  const hint = page === null ? `a repository there is https://${url.host}/<owner>/<repo>` : `did you mean ${page}?`
  return new GsdError('SPEC_MALFORMED', `${quote(text)} is a page of ${url.host}, not a repository`, { hint })
}
