/** Deep equality of JSON values; the order of members says nothing. Maps with text keys count as objects. */
export const sameValue = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b) || (a === 0 && b === 0)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => sameValue(item, b[at]))
  const left = membersOf(a)
  const right = membersOf(b)
  if (left === null || right === null || left.size !== right.size) return false
  return [...left].every(([key, value]) => right.has(key) && sameValue(value, right.get(key)))
}

/**
 * As {@link sameValue}, but a boolean also equals its text, and a number the text that it is written as: a version that is
 * written 1.10 is not "1.1".
 */
export const sameWritten = (found: unknown, wanted: unknown, written: string = String(found)): boolean => {
  if (sameValue(found, wanted)) return true
  if (!isScalar(found) || !isScalar(wanted)) return false
  return typeof found === 'number' && typeof wanted === 'string'
    ? written === wanted
    : String(found) === String(wanted) || written === wanted
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const membersOf = (value: unknown): ReadonlyMap<unknown, unknown> | null => {
  if (value instanceof Map) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return new Map(Object.entries(value))
}
