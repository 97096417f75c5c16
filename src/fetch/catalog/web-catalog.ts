import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readChecked, tryWriteChecked } from '../cache/cache-file.ts'
import type { FetchContext } from '../fetcher.ts'
import { httpContext } from '../http-context.ts'
import { MAX_CATALOG_BYTES } from './catalog.ts'

/** What a server sent with a catalog, for a conditional request. */
export interface HttpValidators {
  readonly etag?: string
  readonly modified?: string
}

export type CatalogResponse =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array; readonly validators: HttpValidators }

/** Requests a catalog; its bytes are sent only where they changed. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const requestCatalog = async (
  url: string,
  known: HttpValidators | null,
  context: FetchContext,
): Promise<CatalogResponse> => {
  const { httpGet, readBody } = await import('../../platform/http/get.ts')
  const { timeoutsOf } = await import('../../platform/http/send-request.ts')
  context.report({ kind: 'progress', text: `contacting ${url}` })
  const timeouts = timeoutsOf(context.fetchTimeout)
  const conditions = {
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.modified === undefined ? {} : { 'if-modified-since': known.modified }),
  }
  const headers = Object.keys(conditions).length > 0 ? { headers: conditions } : {}
  const response = await httpGet({ url, timeouts, accept: 'application/json', ...headers }, httpContext(context))
  if (response.status === 304) {
    response.body.destroy()
    return { kind: 'unchanged' }
  }
  const chunks: Buffer[] = []
  const { signal } = context
  await readBody(response, { signal, limit: MAX_CATALOG_BYTES }, (chunk) => chunks.push(chunk))
  const { etag, 'last-modified': modified } = response.headers
  return { kind: 'fresh', bytes: Buffer.concat(chunks), validators: validatorsOf({ etag, modified }) }
}

type CatalogCache = Pick<FetchContext, 'disk' | 'cache' | 'catalogHashes'>

/** A catalog as it was read last. */
export interface CachedCatalog {
  readonly bytes: Uint8Array
  readonly validators: HttpValidators
}

/** Stores a catalog and its validators in one file, so that they always belong together. */
export const cacheCatalog = (
  { disk, cache, catalogHashes }: CatalogCache,
  address: string,
  { bytes, validators }: CachedCatalog,
): void => {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(validators)}\n`), bytes])
  tryWriteChecked(disk, { cache, file: cachedCatalogPath(cache, address) }, content)
  catalogHashes.add(cachedCatalogName(address), content)
}

/** Null where it was never read, or the copy is damaged. */
export const readCachedCatalog = (
  { disk, cache, catalogHashes }: CatalogCache,
  address: string,
): (CachedCatalog & { readonly isConfirmed: boolean }) | null => {
  const copy = readChecked(disk, { cache, file: cachedCatalogPath(cache, address) })
  const end = copy?.indexOf('\n') ?? -1
  if (copy === null || end === -1) return null
  try {
    const validators = validatorsOf(JSON.parse(copy.toString('utf8', 0, end)) as Record<string, unknown>)
    return {
      bytes: copy.subarray(end + 1),
      validators,
      isConfirmed: catalogHashes.has(cachedCatalogName(address), copy),
    }
  } catch {
    return null
  }
}

const validatorsOf = ({
  etag,
  modified,
}: {
  readonly etag?: unknown
  readonly modified?: unknown
}): HttpValidators => ({
  ...(typeof etag === 'string' ? { etag } : {}),
  ...(typeof modified === 'string' ? { modified } : {}),
})

const cachedCatalogPath = (cache: string, address: string): string =>
  join(cache, 'catalogs', cachedCatalogName(address))

const cachedCatalogName = (address: string): string => createHash('sha256').update(address).digest('hex')
