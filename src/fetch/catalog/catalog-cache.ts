import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../platform/disk.ts'
import { readChecked, tryWriteChecked } from '../cache/cache-file.ts'
import type { HttpValidators } from './request-catalog.ts'

/** A list as it was read last. */
export interface CachedCatalog {
  readonly bytes: Uint8Array
  readonly validators: HttpValidators
}

/** Keeps a list and what was said of it in one file, so that neither is ever taken for the other's. */
export const cacheCatalog = (disk: Disk, cache: string, address: string, { bytes, validators }: CachedCatalog): void =>
  tryWriteChecked(
    disk,
    cachedCatalogPath(cache, address),
    Buffer.concat([Buffer.from(`${JSON.stringify(validators)}\n`), bytes]),
  )

/** Null where it was never read, or is not what was kept. */
export const readCachedCatalog = (disk: Disk, cache: string, address: string): CachedCatalog | null => {
  const kept = readChecked(disk, cachedCatalogPath(cache, address))
  const end = kept?.indexOf('\n') ?? -1
  if (kept === null || end === -1) return null
  try {
    const { etag, modified } = JSON.parse(kept.toString('utf8', 0, end)) as Record<string, unknown>
    return {
      bytes: kept.subarray(end + 1),
      validators: {
        ...(typeof etag === 'string' ? { etag } : {}),
        ...(typeof modified === 'string' ? { modified } : {}),
      },
    }
  } catch {
    return null
  }
}

const cachedCatalogPath = (cache: string, address: string): string =>
  join(cache, 'catalogs', createHash('sha256').update(address).digest('hex'))
