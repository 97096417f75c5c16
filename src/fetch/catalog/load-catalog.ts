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
 * Brings a configured catalog here: over https and asked again only where it changed, from a file, or from a repository;
 * once in a command. Offline it is what it was last.
 * @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_CATALOG, FETCH_*, POLICY_*
 */
export const loadCatalog = (name: string, context: FetchContext): Promise<LoadedCatalog> => {
  const brought = context.loadedCatalogs.get(name) ?? loadConfigured(name, context)
  context.loadedCatalogs.set(name, brought)
  return brought
}

const loadConfigured = async (name: string, context: FetchContext): Promise<LoadedCatalog> => {
  const { catalogs } = context.config()
  const address = catalogs.get(name)
  if (address === undefined) throw unknownCatalog(name, [...catalogs.keys()])
  const origin = parseCatalogOrigin(address, context)
  if (origin.kind === 'file') return fromFile(name, origin.path, context)
  const through: FetchContext = { ...context, viaCatalog: name, expectedIntegrity: null, pinnedCommit: null }
  const catalog = context.offline
    ? parseCatalog(name, fromCache(address, context))
    : await fromRemote(name, address, origin, through)
  return { catalog, folder: null }
}

const unknownCatalog = (name: string, known: readonly string[]): GsdError => {
  const nearest = nearestWord(name, known)
  const hint =
    nearest !== null ? `did you mean ${nearest}?` : known.length > 0 ? `configured: ${known.join(', ')}` : null
  return new GsdError('SPEC_UNKNOWN_CATALOG', `no catalog ${quote(name)} is configured`, {
    hint: hint ?? 'name it in ~/.gsd/config.json: {"schema": 1, "catalogs": {"<name>": "<url or path>"}}',
    details: { catalog: name, known },
  })
}

const fromFile = (name: string, named: string, { disk }: FetchContext): LoadedCatalog => {
  const isFolder = readSource(disk, named, () => disk.statSync(named), CONFIG_HINT).isDirectory()
  const path = isFolder ? join(named, CATALOG_FILE) : named
  const read = (): Uint8Array => {
    const stats = disk.statSync(path)
    // What is not a regular file is never opened: a FIFO would wait, a device might act.
    if (!stats.isFile()) throw unusableSource(path, 'is not a regular file', CONFIG_HINT)
    if (stats.size > MAX_CATALOG_BYTES) throw invalidCatalog(name, '', `is larger than ${MAX_CATALOG_BYTES} bytes`)
    return disk.readFileSync(path)
  }
  return { catalog: parseCatalog(name, readSource(disk, path, read, CONFIG_HINT)), folder: dirname(path) }
}

const CONFIG_HINT = '"catalogs" in ~/.gsd/config.json names it; relative paths start at that file'

const fromCache = (address: string, { disk, cache }: FetchContext): Uint8Array => {
  const remembered = readCachedCatalog(disk, cache, address)
  if (remembered === null) throw notCached(address, 'run it once without --offline')
  return remembered.bytes
}

const fromRemote = async (
  name: string,
  address: string,
  origin: Exclude<CatalogOrigin, { readonly kind: 'file' }>,
  context: FetchContext,
): Promise<Catalog> => {
  const { disk, cache } = context
  const fresh = { kind: 'fresh', validators: {} } as const
  const known = readCachedCatalog(disk, cache, address)
  const answer =
    origin.kind === 'git'
      ? { ...fresh, bytes: await fromGit(name, origin, context) }
      : await requestCatalog(origin.url, known?.validators ?? null, context)
  if (answer.kind === 'unchanged') return parseCatalog(name, known?.bytes ?? new Uint8Array())
  const catalog = parseCatalog(name, answer.bytes)
  cacheCatalog(disk, cache, address, answer)
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
