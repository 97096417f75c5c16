import { relative } from 'node:path/posix'
import { formatFolder, formatSpec } from './format-spec.ts'
import { withoutSecretQuery } from './secret-query.ts'
import type { Spec } from './spec.ts'

/**
 * A spec as the ledger keeps it: paths relative to the real scope root, so that root and source can move together, and no
 * secret in a url. `parseSpec(recorded, {cwd: realRoot, home})` gives the same spec, less what was secret.
 */
export const recordSpec = (spec: Spec, realRoot: string): string => {
  if (spec.kind === 'local') return relativeTo(realRoot, spec.path, formatFolder)
  if (spec.kind !== 'tarball') return formatSpec(spec)
  return spec.at.kind === 'file' ? relativeTo(realRoot, spec.at.path, (path) => path) : withoutSecretQuery(spec.at.url)
}

const relativeTo = (root: string, path: string, format: (path: string) => string): string => {
  const way = relative(root, path)
  if (way === '') return '.'
  return format(way === '..' || way.startsWith('../') ? way : `./${way}`)
}
