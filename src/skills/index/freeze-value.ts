/**
 * Freezes a parsed JSON value all through.
 * @returns false when it is nested deeper than `depth`; what lies deeper is not frozen then
 */
export const freezeValue = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  Object.freeze(value)
  for (const key in value) if (!freezeValue((value as Readonly<Record<string, unknown>>)[key], depth - 1)) return false
  return true
}
