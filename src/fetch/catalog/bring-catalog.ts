import { dirname, join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest.ts'
import { quote } from '../../redact.ts'
import type { FetchContext } from '../fetched.ts'
import { notCached } from '../offline.ts'
import { notFetched, onSource } from '../source-fault.ts'
import { askCatalog } from './ask-catalog.ts'
import { recallCatalog, rememberCatalog } from './catalog-memory.ts'
import { LARGEST_CATALOG, parseCatalog, unusable, type BroughtCatalog, type Catalog } from './catalog.ts'
import { CATALOG_FILE, originOf, type Origin } from './origin.ts'

/**
 * Brings a configured catalog here: over https and asked again only where it changed, from a file, or from a repository;
 * once in a command. Offline it is what it was last.
 * @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_CATALOG, FETCH_*, POLICY_*
 */
export const bringCatalog = (name: string, context: FetchContext): Promise<BroughtCatalog> => {
  const brought = context.brought.get(name) ?? bring(name, context)
  context.brought.set(name, brought)
  return brought
}

const bring = async (name: string, context: FetchContext): Promise<BroughtCatalog> => {
  const { catalogs } = context.config()
  const address = catalogs.get(name)
  if (address === undefined) throw unknownCatalog(name, [...catalogs.keys()])
  const origin = originOf(address, context)
  if (origin.kind === 'file') return fromFile(name, origin.path, context)
  const through: FetchContext = { ...context, catalog: name, expected: null, commit: null }
  const catalog = context.offline
    ? parseCatalog(name, fromMemory(address, context))
    : await fromOutside(name, address, origin, through)
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

const fromFile = (name: string, named: string, { disk }: FetchContext): BroughtCatalog => {
  const isFolder = onSource(disk, named, () => disk.statSync(named), IN_CONFIG).isDirectory()
  const path = isFolder ? join(named, CATALOG_FILE) : named
  const read = (): Uint8Array => {
    const stats = disk.statSync(path)
    // What is not a regular file is never opened: a FIFO would wait, a device might act.
    if (!stats.isFile()) throw notFetched(path, 'is not a regular file', IN_CONFIG)
    if (stats.size > LARGEST_CATALOG) throw unusable(name, '', `is larger than ${LARGEST_CATALOG} bytes`)
    return disk.readFileSync(path)
  }
  return { catalog: parseCatalog(name, onSource(disk, path, read, IN_CONFIG)), folder: dirname(path) }
}

const IN_CONFIG = '"catalogs" in ~/.gsd/config.json names it; relative paths start at that file'

const fromMemory = (address: string, { disk, cache }: FetchContext): Uint8Array => {
  const remembered = recallCatalog(disk, cache, address)
  if (remembered === null) throw notCached(address, 'run it once without --offline')
  return remembered.bytes
}

const fromOutside = async (
  name: string,
  address: string,
  origin: Exclude<Origin, { readonly kind: 'file' }>,
  context: FetchContext,
): Promise<Catalog> => {
  const { disk, cache } = context
  const fresh = { kind: 'fresh', validators: {} } as const
  const known = recallCatalog(disk, cache, address)
  const answer =
    origin.kind === 'git'
      ? { ...fresh, bytes: await fromGit(name, origin, context) }
      : await askCatalog(origin.url, known?.validators ?? null, context)
  if (answer.kind === 'same') return parseCatalog(name, known?.bytes ?? new Uint8Array())
  const catalog = parseCatalog(name, answer.bytes)
  rememberCatalog(disk, cache, address, answer)
  return catalog
}

const fromGit = async (
  name: string,
  { spec, path }: Extract<Origin, { readonly kind: 'git' }>,
  context: FetchContext,
): Promise<Uint8Array> => {
  const { fetchGit } = await import('../git/fetch-git.ts')
  const { source } = await fetchGit(spec, context)
  const tree = source.kind === 'tree' ? source.tree : null
  const entry = tree?.entries.find((each) => each.type === 'file' && each.path === path)
  if (tree === null || entry === undefined) throw unusable(name, '', `has no ${quote(path)} in its repository`)
  const [size = 0] = await tree.measure([entry])
  if (size > LARGEST_CATALOG) throw unusable(name, '', `is larger than ${LARGEST_CATALOG} bytes`)
  const chunks: Uint8Array[] = []
  await tree.read([entry], {
    begin: () => undefined,
    data: (chunk) => chunks.push(Uint8Array.from(chunk)),
    end: () => undefined,
  })
  return Buffer.concat(chunks)
}
