import { dirname, join, resolve } from 'node:path'
import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import { formatRemoteUrl, parseRemoteUrl } from '../../spec/remote-url.ts'
import type { GitSpec, Spec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetcher.ts'
import { readSource, unusableSource } from '../local-source.ts'
import { notCached } from '../offline.ts'
import { type Catalog, invalidCatalog, type LoadedCatalog, MAX_CATALOG_BYTES, parseCatalog } from './catalog.ts'
import { cacheCatalog, readCachedCatalog, requestCatalog } from './web-catalog.ts'

/**
 * Loads a configured catalog, once a command: over https with a conditional request, from a file, or from a repository.
 * Offline the cached copy is used.
 * @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_CATALOG, FETCH_*, POLICY_*
 */
export const loadCatalog = (name: string, context: FetchContext): Promise<LoadedCatalog> => {
  const loaded = context.loadedCatalogs.get(name) ?? loadConfigured(name, context)
  context.loadedCatalogs.set(name, loaded)
  return loaded
}

const loadConfigured = async (name: string, context: FetchContext): Promise<LoadedCatalog> => {
  const { catalogs } = context.config()
  const address = catalogs.get(name)
  if (address === undefined) throw unknownCatalog(name, [...catalogs.keys()])
  const origin = parseCatalogOrigin(address, context)
  if (origin.kind === 'file') return fromFile(name, origin.path, context)
  const inner: FetchContext = { ...context, viaCatalog: name, expectedIntegrity: null, pinnedCommit: null }
  const catalog = context.offline
    ? parseCatalog(name, fromCache(address, context))
    : await fromRemote(name, address, origin, inner)
  return { catalog, folder: null }
}

const unknownCatalog = (name: string, known: readonly string[]): GsdError => {
  const nearest = nearestWord(name, known)
  const hint =
    nearest !== null ? `did you mean ${nearest}?` : known.length > 0 ? `configured: ${known.join(', ')}` : null
  return new GsdError('SPEC_UNKNOWN_CATALOG', `no catalog ${quote(name)} is configured`, {
    hint: hint ?? 'add it to ~/.gsd/config.json: {"schema": 1, "catalogs": {"<name>": "<url or path>"}}',
    details: { catalog: name, known },
  })
}

const fromFile = (name: string, named: string, { disk }: FetchContext): LoadedCatalog => {
  const isFolder = readSource(disk, named, () => disk.statSync(named), CONFIG_HINT).isDirectory()
  const path = isFolder ? join(named, CATALOG_FILE) : named
  const read = (): Uint8Array => {
    const stats = disk.statSync(path)
    // Only a regular file is opened: a FIFO would block, and a device might act.
    if (!stats.isFile()) throw unusableSource(path, 'is not a regular file', CONFIG_HINT)
    if (stats.size > MAX_CATALOG_BYTES) throw invalidCatalog(name, '', `is larger than ${MAX_CATALOG_BYTES} bytes`)
    return disk.readFileSync(path)
  }
  return { catalog: parseCatalog(name, readSource(disk, path, read, CONFIG_HINT)), folder: dirname(path) }
}

const CONFIG_HINT = '"catalogs" in ~/.gsd/config.json names it; relative paths are resolved against its folder'

const fromCache = (address: string, context: FetchContext): Uint8Array => {
  const copy = readCachedCatalog(context, address)
  if (copy === null) throw notCached(address, 'run it once without --offline')
  return copy.bytes
}

const fromRemote = async (
  name: string,
  address: string,
  origin: Exclude<CatalogOrigin, { readonly kind: 'file' }>,
  context: FetchContext,
): Promise<Catalog> => {
  const fresh = { kind: 'fresh', validators: {} } as const
  const cached = readCachedCatalog(context, address)
  // A server cannot confirm what others may have written into the cache.
  const known = cached?.isConfirmed === true ? cached : null
  const answer =
    origin.kind === 'git'
      ? { ...fresh, bytes: await fromGit(name, origin, context) }
      : await requestCatalog(origin.url, known?.validators ?? null, context)
  if (answer.kind === 'unchanged') return parseCatalog(name, known?.bytes ?? new Uint8Array())
  const catalog = parseCatalog(name, answer.bytes)
  cacheCatalog(context, address, answer)
  return catalog
}

const fromGit = async (
  name: string,
  { spec, path }: Extract<CatalogOrigin, { readonly kind: 'git' }>,
  context: FetchContext,
): Promise<Uint8Array> => {
  const { fetchGit } = await import('../git/fetch-git.ts')
  const { source } = await fetchGit(spec, context)
  const tree = source.kind === 'tree' ? source.tree : null
  const entry = tree?.entries.find((each) => each.type === 'file' && each.path === path)
  if (tree === null || entry === undefined) throw invalidCatalog(name, '', `has no ${quote(path)} in its repository`)
  const [size = 0] = await tree.fetchSizes([entry])
  if (size > MAX_CATALOG_BYTES) throw invalidCatalog(name, '', `is larger than ${MAX_CATALOG_BYTES} bytes`)
  const chunks: Uint8Array[] = []
  await tree.sendContents([entry], {
    begin: () => undefined,
    data: (chunk) => chunks.push(Uint8Array.from(chunk)),
    end: () => undefined,
  })
  return Buffer.concat(chunks)
}

/** Where a catalog is, parsed from its address in the configuration. */
export type CatalogOrigin =
  | { readonly kind: 'git'; readonly spec: GitSpec; readonly path: string }
  | { readonly kind: 'web'; readonly url: string }
  /** A local file, or a folder that contains one. */
  | { readonly kind: 'file'; readonly path: string }

/** The catalog's file in a repository or folder. */
export const CATALOG_FILE = 'catalog.json'

/**
 * Parses the address of a catalog: a repository where a spec would be one; other urls are the catalog itself.
 * @throws GsdError SPEC_* for an invalid address, or one with a secret
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
  throw new GsdError('SPEC_REFUSED', `${quote(address)} is not an address of a catalog`, {
    hint: 'in "catalogs" of ~/.gsd/config.json name a JSON file by its https url or path, or a repository',
  })
}

const webOrigin = (address: string, allowHttp: boolean): CatalogOrigin => {
  const url = parseRemoteUrl(address.replace(/#.*$/s, ''), allowHttp)
  return { kind: 'web', url: formatRemoteUrl(url) }
}

/** Null where the address is not a spec. */
const parseSpecOrNull = (parse: () => Spec): Spec | null => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}
