import type { FetchContext } from '../fetcher.ts'
import { MAX_CATALOG_BYTES } from './catalog.ts'

/** What a server said of a list besides the list, by which it can be asked whether that still holds. */
export interface HttpValidators {
  readonly etag?: string
  readonly modified?: string
}

export type CatalogResponse =
  | { readonly kind: 'same' }
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array; readonly validators: HttpValidators }

/** Asks for a list over https, and only for its bytes where they changed. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const requestCatalog = async (
  url: string,
  known: HttpValidators | null,
  context: FetchContext,
): Promise<CatalogResponse> => {
  const [{ httpGet: ask }, { readBody }] = await Promise.all([
    import('../../platform/http/get.ts'),
    import('../../platform/http/read-body.ts'),
  ])
  const headers = {
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.modified === undefined ? {} : { 'if-modified-since': known.modified }),
  }
  const conditional = Object.keys(headers).length > 0
  const answer = await ask({ url, accept: 'application/json', ...(conditional ? { headers } : {}) }, context)
  if (answer.status === 304) {
    answer.body.destroy()
    return { kind: 'same' }
  }
  const chunks: Buffer[] = []
  await readBody(answer, context, { limit: MAX_CATALOG_BYTES }, (chunk) => chunks.push(chunk))
  const { etag, 'last-modified': modified } = answer.headers
  return {
    kind: 'fresh',
    bytes: Buffer.concat(chunks),
    validators: { ...(etag === undefined ? {} : { etag }), ...(modified === undefined ? {} : { modified }) },
  }
}
