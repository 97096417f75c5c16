import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'

import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest.ts'
import { quote } from '../../redact.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { GitSpec } from '../../spec/spec.ts'
import { readKept, tryToKeep } from '../cache/keep-file.ts'
import type { FetchContext } from '../fetched.ts'
import { fetchGit } from '../git/fetch-git.ts'
import { refuseOffline } from '../offline.ts'
import { onSource } from '../source-fault.ts'
import { parseCatalog, type Catalog } from './catalog.ts'

/** A catalog, and where relative paths in it start; null where it did not come from a file of this machine. */
export interface BroughtCatalog {
  readonly catalog: Catalog
  readonly folder: string | null
}

/** Bytes. The list of a whole company is far below. */
const LARGEST = 32 * 1024 * 1024
/** In a repository. */
const FILE = 'catalog.json'

/**
 * Brings a configured catalog here: over https and asked again only where it changed, from a file, or from a repository.
 * @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_CATALOG, FETCH_*, POLICY_*
 */
export const bringCatalog = async (name: string, context: FetchContext): Promise<BroughtCatalog> => {
  const { catalogs, folder } = context.config()
  const address = catalogs.get(name)
  if (address === undefined) throw unknownCatalog(name, [...catalogs.keys()])
  const through: FetchContext = { ...context, catalog: name, expected: null }
  const git = gitSpecOf(address, folder, context)
  if (git !== null) return { catalog: parseCatalog(name, await fromGit(name, git, through)), folder: null }
  if (/^https?:\/\//i.test(address))
    return { catalog: parseCatalog(name, await fromWeb(address, through)), folder: null }
  const file = resolve(folder, address.replace(/^~(?=\/)/, context.home))
  const bytes = onSource(context.disk, file, () => {
    if (!context.disk.statSync(file).isFile())
      throw new GsdError('FETCH_UNREADABLE', `${quote(file)} is not a regular file`)
    return context.disk.readFileSync(file)
  })
  return { catalog: parseCatalog(name, bytes), folder: dirname(file) }
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

/** Null for an address that is a web page or a file. */
const gitSpecOf = (address: string, cwd: string, { home, allowHttp }: FetchContext): GitSpec | null => {
  try {
    const spec = parseSpec(address, { cwd, home, allowHttp })
    return spec.kind === 'git' ? spec : null
  } catch {
    return null
  }
}

const fromGit = async (name: string, spec: GitSpec, context: FetchContext): Promise<Uint8Array> => {
  const { source } = await fetchGit(spec, context)
  const tree = source.kind === 'tree' ? source.tree : null
  const path = spec.path === null ? FILE : `${spec.path}/${FILE}`
  const entry = tree?.entries.find((each) => each.type === 'file' && each.path === path)
  if (tree === null || entry === undefined) {
    throw new GsdError(
      'FETCH_CATALOG',
      `the catalog ${quote(name)} cannot be used: there is no ${quote(path)} in its repository`,
      {
        hint: 'tell whoever keeps the catalog',
      },
    )
  }
  const [size = 0] = await tree.measure([entry])
  if (size > LARGEST) throw tooLarge(name)
  const chunks: Uint8Array[] = []
  await tree.read([entry], {
    begin: () => undefined,
    data: (chunk) => chunks.push(Uint8Array.from(chunk)),
    end: () => undefined,
  })
  return Buffer.concat(chunks)
}

/** What the server said of the content, so that it can be asked whether that still holds. */
interface Kept {
  readonly etag?: string
  readonly modified?: string
}

const fromWeb = async (url: string, context: FetchContext): Promise<Uint8Array> => {
  const { disk, cache } = context
  const place = join(cache, 'catalogs', createHash('sha256').update(url).digest('hex'))
  const body = readKept(disk, `${place}.json`)
  if (context.offline) {
    if (body !== null) return body
    refuseOffline(context, url, 'run it once without --offline')
  }
  const kept = body === null ? {} : keptOf(readKept(disk, `${place}.state`))
  const [{ ask }, { readBody }] = await Promise.all([import('../http/ask.ts'), import('../http/read-body.ts')])
  const headers = {
    ...(kept.etag === undefined ? {} : { 'if-none-match': kept.etag }),
    ...(kept.modified === undefined ? {} : { 'if-modified-since': kept.modified }),
  }
  const answer = await ask(
    { url, accept: 'application/json', ...(Object.keys(headers).length === 0 ? {} : { headers }) },
    context,
  )
  const chunks: Buffer[] = []
  await readBody(answer, context, { limit: LARGEST }, (chunk) => chunks.push(chunk))
  if (answer.status === 304 && body !== null) return body
  const fresh = Buffer.concat(chunks)
  tryToKeep(disk, `${place}.json`, fresh)
  const { etag, 'last-modified': modified } = answer.headers
  tryToKeep(disk, `${place}.state`, Buffer.from(JSON.stringify({ etag, modified })))
  return fresh
}

const keptOf = (bytes: Buffer | null): Kept => {
  try {
    const { etag, modified } = JSON.parse(bytes?.toString('utf8') ?? '{}') as Record<string, unknown>
    return { ...(typeof etag === 'string' ? { etag } : {}), ...(typeof modified === 'string' ? { modified } : {}) }
  } catch {
    return {}
  }
}

const tooLarge = (name: string): GsdError =>
  new GsdError('FETCH_CATALOG', `the catalog ${quote(name)} cannot be used: it is larger than ${LARGEST} bytes`)
