import { relative } from 'node:path/posix'
import { formatFragment } from './git-fragment.ts'
import { isArchiveName } from './path-spec.ts'
import { stripQuerySecrets } from './query-secrets.ts'
import type { Spec } from './spec.ts'

/** A spec as text, with absolute paths; `parseSpec` reads it back to the same spec from any folder. */
export const formatSpec = (spec: Spec): string => {
  switch (spec.kind) {
    case 'git':
      return `${formatRepository(spec.url)}${formatFragment(spec)}`
    case 'npm':
      return `npm:${spec.name}${spec.selector === null ? '' : `@${spec.selector.text}`}`
    case 'tarball':
      return spec.at.kind === 'file' ? spec.at.path : spec.at.url
    case 'local':
      return formatFolder(spec.path)
    case 'catalog':
      return `${spec.id}@${spec.range === null ? '' : `${spec.range}@`}${spec.catalog}`
  }
}

/** A slash at the end keeps a folder called `x.tgz` from reading as an archive. */
export const formatFolder = (path: string): string => (isArchiveName(path) ? `${path}/` : path)

/** `git+` goes in front where the url alone would not read as a repository. */
const formatRepository = (url: string): string =>
  /^(?:https?|file):/.test(url) && !/[^/]\.git$/.test(url) ? `git+${url}` : url

/**
 * A spec as the ledger keeps it: paths relative to the real scope root, so that root and source can move together, and no
 * secret in a url. `parseSpec(recorded, {cwd: realRoot, home})` gives the same spec, less what was secret.
 */
export const formatSpecForLedger = (spec: Spec, realRoot: string): string => {
  if (spec.kind === 'local') return formatRelativePath(realRoot, spec.path, formatFolder)
  if (spec.kind !== 'tarball') return formatSpec(spec)
  return spec.at.kind === 'file'
    ? formatRelativePath(realRoot, spec.at.path, (path) => path)
    : stripQuerySecrets(spec.at.url)
}

const formatRelativePath = (root: string, path: string, format: (path: string) => string): string => {
  const way = relative(root, path)
  if (way === '') return '.'
  return format(way === '..' || way.startsWith('../') ? way : `./${way}`)
}
