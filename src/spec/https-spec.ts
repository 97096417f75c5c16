import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { isArchiveName } from './archive-name.ts'
import type { SpecContext, TypedUrl } from './form.ts'
import { gitSpecOf, knownHostOf } from './git-url.ts'
import { KNOWN_HOSTS, repositoryName } from './known-hosts.ts'
import { formatRemoteUrl, readRemoteUrl, type RemoteUrl } from './remote-url.ts'
import type { GitSpec, TarballSpec } from './spec.ts'

/** An https url says by its end what it is: an archive, or a repository; on known hosts also by its path. */
export const httpsSpec = (
  { url: typed, fragment, text }: TypedUrl,
  { allowHttp = false }: SpecContext,
): GitSpec | TarballSpec => {
  const url = readRemoteUrl(typed, allowHttp)
  if (isArchiveName(url.path)) return tarballSpec(url, fragment, text)
  if (/\.git\/?$/.test(url.path) || knownHostOf(url) !== null) return gitSpecOf(url, fragment, text)
  throw neither(url, fragment, text)
}

const tarballSpec = (url: RemoteUrl, fragment: string | null, text: string): TarballSpec => {
  if (fragment === null) return { kind: 'tarball', at: { kind: 'url', url: formatRemoteUrl(url) } }
  throw new GsdError('SPEC_MALFORMED', `${quote(text)} is an archive, and an archive has no refs`, {
    hint: 'take out what starts at the "#"; for a repository put git+ in front',
  })
}

const neither = (url: RemoteUrl, fragment: string | null, text: string): GsdError => {
  const plain = { ...url, query: null, path: url.path.replace(/\/$/, '') }
  return new GsdError(
    'SPEC_AMBIGUOUS',
    `${quote(text)} says neither that it is a repository nor that it is an archive`,
    { hint: misspelt(plain, fragment) + hintFor(plain, fragment) },
  )
}

/** The host may be meant to be a known one, of which a repository's url alone is enough. */
const misspelt = (url: RemoteUrl, fragment: string | null): string => {
  const hosts = Object.values(KNOWN_HOSTS)
  const near = nearestWord(
    url.host,
    hosts.map(({ host }) => host),
  )
  const known = hosts.find(({ host }) => host === near)
  if (known === undefined || near === url.host || repositoryName(known, url.path.slice(1)) === null) return ''
  const ref = fragment === null ? '' : `#${fragment}`
  return `did you mean ${formatRemoteUrl({ ...url, host: known.host })}${ref}? Else `
}

const hintFor = (url: RemoteUrl, fragment: string | null): string => {
  const plain = formatRemoteUrl(url)
  const [, repository, folder] = /^(.+?\.git)\/(.+)$/.exec(plain) ?? []
  if (repository !== undefined)
    return `did you mean ${repository}#${fragment === null ? '' : `${fragment}&`}path:${folder}?`
  const ref = fragment === null ? '' : `#${fragment}`
  return `for a repository write ${plain}.git${ref} or git+${plain}${ref}; an archive's url ends in .tgz or .tar.gz, as ${plain}.tgz`
}
