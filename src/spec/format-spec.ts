import { relative } from 'node:path/posix'
import { formatFragment } from './git-fragment.ts'
import { isArchiveName } from './path-spec.ts'
import { stripQuerySecrets } from './query-secrets.ts'
import type { Spec } from './spec.ts'

/** A spec as text, with absolute paths; `parseSpec` parses it to the same spec from any folder. */
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

/** A slash at the end, so that a folder named `x.tgz` is not an archive. */
export const formatFolder = (path: string): string => (isArchiveName(path) ? `${path}/` : path)

/** With `git+` in front where the url alone would not be a repository. */
const formatRepository = (url: string): string =>
  /^(?:https?|file):/.test(url) && !/[^/]\.git$/.test(url) ? `git+${url}` : url

/**
 * A spec for the ledger: paths are relative to the real scope root, so that root and source can move together, and urls
 * have no secrets. `parseSpec(recorded, {cwd: realRoot, home})` gives the same spec without the secrets.
 */
export const formatSpecForLedger = (spec: Spec, realRoot: string): string => {
  if (spec.kind === 'local') return formatRelativePath(realRoot, spec.path, formatFolder)
  if (spec.kind !== 'tarball') return formatSpec(spec)
  return spec.at.kind === 'file'
    ? formatRelativePath(realRoot, spec.at.path, (path) => path)
    : stripQuerySecrets(spec.at.url)
}

const formatRelativePath = (root: string, path: string, format: (path: string) => string): string => {
  const inner = relative(root, path)
  if (inner === '') return '.'
  return format(inner === '..' || inner.startsWith('../') ? inner : `./${inner}`)
}
