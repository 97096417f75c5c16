import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseIntegrity } from '../../bundle/integrity.ts'
import type { Disk } from '../../platform/disk.ts'
import { readChecked, tryWriteChecked } from './cache-file.ts'

/** Remembers which content a name had, so that it can be found again without asking anybody. */
export const recordIntegrity = (disk: Disk, cache: string, name: string, integrity: string): void =>
  tryWriteChecked(disk, recordPath(cache, name), Buffer.from(`${JSON.stringify({ name, integrity })}\n`))

/** The integrity that a name had when it was last fetched, or null. */
export const findKnownIntegrity = (disk: Disk, cache: string, name: string): string | null => {
  try {
    const pin = JSON.parse(readChecked(disk, recordPath(cache, name))?.toString('utf8') ?? 'null') as unknown
    return isIntegrityRecord(pin) && pin.name === name ? parseIntegrity(pin.integrity) : null
  } catch {
    return null
  }
}

const isIntegrityRecord = (value: unknown): value is { readonly name: string; readonly integrity: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'integrity' in value &&
  typeof value.integrity === 'string'

const recordPath = (cache: string, name: string): string =>
  join(cache, 'pins', `${createHash('sha256').update(name).digest('hex')}.json`)
