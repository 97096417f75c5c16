import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../store/disk.ts'
import { readKept, tryToKeep } from '../cache/keep-file.ts'
import type { Validators } from './ask-catalog.ts'

/** A list as it was read last. */
export interface Remembered {
  readonly bytes: Uint8Array
  readonly validators: Validators
}

/** Keeps a list and what was said of it in one file, so that neither is ever taken for the other's. */
export const rememberCatalog = (disk: Disk, cache: string, address: string, { bytes, validators }: Remembered): void =>
  tryToKeep(disk, placeOf(cache, address), Buffer.concat([Buffer.from(`${JSON.stringify(validators)}\n`), bytes]))

/** Null where it was never read, or is not what was kept. */
export const recallCatalog = (disk: Disk, cache: string, address: string): Remembered | null => {
  const kept = readKept(disk, placeOf(cache, address))
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

const placeOf = (cache: string, address: string): string =>
  join(cache, 'catalogs', createHash('sha256').update(address).digest('hex'))
