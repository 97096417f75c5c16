import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseIntegrity } from '../../bundle/integrity.ts'
import type { Disk } from '../../store/disk.ts'
import { readKept, tryToKeep } from './keep-file.ts'

/** Remembers which content a name had, so that it can be found again without asking anybody. */
export const notePin = (disk: Disk, cache: string, name: string, integrity: string): void =>
  tryToKeep(disk, placeOf(cache, name), Buffer.from(`${JSON.stringify({ name, integrity })}\n`))

/** The integrity that a name had when it was last fetched, or null. */
export const readPin = (disk: Disk, cache: string, name: string): string | null => {
  try {
    const pin = JSON.parse(readKept(disk, placeOf(cache, name))?.toString('utf8') ?? 'null') as unknown
    return isPin(pin) && pin.name === name ? parseIntegrity(pin.integrity) : null
  } catch {
    return null
  }
}

const isPin = (value: unknown): value is { readonly name: string; readonly integrity: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'integrity' in value &&
  typeof value.integrity === 'string'

const placeOf = (cache: string, name: string): string =>
  join(cache, 'pins', `${createHash('sha256').update(name).digest('hex')}.json`)
