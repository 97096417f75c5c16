import { isArchiveName } from './archive-name.ts'
import { formatFragment } from './git-fragment.ts'
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
