import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import { gitSpecFromUrl, knownHostOfUrl } from './git-spec.ts'
import { KNOWN_HOSTS, repositoryName } from './known-hosts.ts'
import { isArchiveName } from './path-spec.ts'
import { formatRemoteUrl, parseRemoteUrl, type RemoteUrl } from './remote-url.ts'
import type { GitSpec, RawUrl, SpecContext, TarballSpec } from './spec.ts'

/** The end of an https url decides whether it is an archive or a repository; on known hosts also its path. */
export const parseHttpsUrl = (
  { url: typed, fragment, text }: RawUrl,
  { allowHttp = false }: SpecContext,
): GitSpec | TarballSpec => {
  const url = parseRemoteUrl(typed, allowHttp)
  if (isArchiveName(url.path)) return tarballSpecFromUrl(url, fragment, text)
  if (/\.git\/?$/.test(url.path) || knownHostOfUrl(url) !== null) return gitSpecFromUrl(url, fragment, text)
  throw ambiguousUrlError(url, fragment, text)
}

const tarballSpecFromUrl = (url: RemoteUrl, fragment: string | null, text: string): TarballSpec => {
  if (fragment === null) return { kind: 'tarball', at: { kind: 'url', url: formatRemoteUrl(url) } }
  throw new GsdError('SPEC_MALFORMED', `${quote(text)} is an archive, and archives have no refs`, {
    hint: 'remove the "#" and what follows; for a repository put git+ in front',
  })
}

const ambiguousUrlError = (url: RemoteUrl, fragment: string | null, text: string): GsdError => {
  const plain = { ...url, query: null, path: url.path.replace(/\/$/, '') }
  return new GsdError('SPEC_AMBIGUOUS', `${quote(text)} can be a repository or an archive`, {
    hint: misspelledHostHint(plain, fragment) + urlKindHint(plain, fragment),
  })
}

/** The host may be a mistyped known one, where the url of a repository is enough. */
const misspelledHostHint = (url: RemoteUrl, fragment: string | null): string => {
  const hosts = Object.values(KNOWN_HOSTS)
  const near = nearestWord(
    url.host,
    hosts.map(({ host }) => host),
  )
  const known = hosts.find(({ host }) => host === near)
  if (known === undefined || near === url.host || repositoryName(known, url.path.slice(1)) === null) return ''
  const ref = fragment === null ? '' : `#${fragment}`
  return `did you mean ${formatRemoteUrl({ ...url, host: known.host })}${ref}? Otherwise `
}

const urlKindHint = (url: RemoteUrl, fragment: string | null): string => {
  const plain = formatRemoteUrl(url)
  const [, repository, folder] = /^(.+?\.git)\/(.+)$/.exec(plain) ?? []
  if (repository !== undefined)
    return `did you mean ${repository}#${fragment === null ? '' : `${fragment}&`}path:${folder}?`
  const ref = fragment === null ? '' : `#${fragment}`
  return `for a repository write ${plain}.git${ref} or git+${plain}${ref}; an archive's url ends in .tgz or .tar.gz, as ${plain}.tgz`
}
