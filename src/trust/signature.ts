import { createHash } from 'node:crypto'
import type { Surface } from './surface.ts'

/**
 * A stable name for a set of surfaces: `sha512-<base64>` over their canonical JSON. The order of object keys and of the
 * surfaces does not matter; everything else does.
 */
export const surfaceSignature = (surfaces: readonly Surface[]): string => {
  const lines = surfaces.map(canonicalJson).sort()
  return `sha512-${createHash('sha512').update(lines.join('\n')).digest('base64')}`
}

/** JSON with the keys of every object sorted and members without a value left out. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
