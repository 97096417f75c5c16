import { join, resolve } from 'node:path'
import { GsdError } from '../../errors.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { GitSpec, Spec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetched.ts'

/** Where a catalog is kept, as its address in the configuration says. */
export type Origin =
  | { readonly kind: 'git'; readonly spec: GitSpec; readonly path: string }
  | { readonly kind: 'web'; readonly url: string }
  /** A file of this machine, or a folder that holds one. */
  | { readonly kind: 'file'; readonly path: string }

/** In a repository or folder. */
export const CATALOG_FILE = 'catalog.json'

/** An address is that of a repository where a spec would be one; of other urls it is the list itself. */
export const originOf = (address: string, { config, home, allowHttp }: FetchContext): Origin => {
  const { folder } = config()
  const isUrl = /^https?:\/\//i.test(address)
  if (isUrl && /^[^?#]*\.json(?:[?#]|$)/i.test(address)) return { kind: 'web', url: address }
  const spec = specOf(() => parseSpec(address, { cwd: folder, home, allowHttp }))
  if (spec?.kind === 'git') {
    return { kind: 'git', spec, path: spec.path === null ? CATALOG_FILE : join(spec.path, CATALOG_FILE) }
  }
  if (spec?.kind === 'local') return { kind: 'file', path: spec.path }
  return isUrl ? { kind: 'web', url: address } : { kind: 'file', path: resolve(folder, address) }
}

/** Null where the address is no spec. */
const specOf = (parse: () => Spec): Spec | null => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}
