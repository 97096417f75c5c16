import { join, resolve } from 'node:path'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import { formatRemoteUrl, parseRemoteUrl } from '../../spec/remote-url.ts'
import type { GitSpec, Spec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetcher.ts'

/** Where a catalog is kept, as its address in the configuration says. */
export type CatalogOrigin =
  | { readonly kind: 'git'; readonly spec: GitSpec; readonly path: string }
  | { readonly kind: 'web'; readonly url: string }
  /** A file of this machine, or a folder that holds one. */
  | { readonly kind: 'file'; readonly path: string }

/** In a repository or folder. */
export const CATALOG_FILE = 'catalog.json'

/**
 * An address is that of a repository where a spec would be one; of other urls it is the list itself.
 * @throws GsdError SPEC_* for an address that is none, or carries a secret
 */
export const parseCatalogOrigin = (address: string, { config, home, allowHttp }: FetchContext): CatalogOrigin => {
  const { folder } = config()
  const isUrl = /^https?:\/\//i.test(address)
  if (isUrl && /^[^?#]*\.json(?:[?#]|$)/i.test(address)) return webOrigin(address, allowHttp)
  const spec = parseSpecOrNull(() => parseSpec(address, { cwd: folder, home, allowHttp }))
  if (spec?.kind === 'git') {
    return { kind: 'git', spec, path: spec.path === null ? CATALOG_FILE : join(spec.path, CATALOG_FILE) }
  }
  if (spec?.kind === 'local') return { kind: 'file', path: spec.path }
  if (isUrl) return webOrigin(address, allowHttp)
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address)) return { kind: 'file', path: resolve(folder, address) }
  throw new GsdError('SPEC_REFUSED', `${quote(address)} is no place for a catalog`, {
    hint: 'in "catalogs" of ~/.gsd/config.json name a JSON file by its https url or path, or a repository',
  })
}

const webOrigin = (address: string, allowHttp: boolean): CatalogOrigin => {
  const url = parseRemoteUrl(address.replace(/#.*$/s, ''), allowHttp)
  return { kind: 'web', url: formatRemoteUrl(url) }
}

/** Null where the address is no spec. */
const parseSpecOrNull = (parse: () => Spec): Spec | null => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}
