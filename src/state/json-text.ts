/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Any JSON object, by its own keys only. */
export type JsonObject = { readonly [key: string]: Json }

/**
 * JSON as the program keeps it: keys sorted at every level, two blanks, a final newline (contract, "Files"), so that one
 * content has one spelling and a file only changes where its content does.
 */
export const jsonText = (value: Json): string => `${format(value, '\n')}\n`

const format = (value: Json, line: string): string => {
  if (!isListOrObject(value)) return JSON.stringify(value)
  const inner = `${line}  `
  if (isList(value)) {
    return value.length === 0 ? '[]' : `[${inner}${value.map((item) => format(item, inner)).join(`,${inner}`)}${line}]`
  }
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
  if (keys.length === 0) return '{}'
  const members = keys.map((key) => `${JSON.stringify(key)}: ${format(value[key] ?? null, inner)}`)
  return `{${inner}${members.join(`,${inner}`)}${line}}`
}

export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isListOrObject = (value: Json): value is readonly Json[] | JsonObject =>
  typeof value === 'object' && value !== null
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two values say the same; the order of keys says nothing. */
export const sameJson = (a: Json, b: Json): boolean => jsonText(a) === jsonText(b)

/** The member at a path of keys; null where there is none. */
export const memberAt = (value: Json, [key, ...rest]: readonly string[]): Json => {
  if (key === undefined) return value
  return isObject(value) && Object.hasOwn(value, key) ? memberAt(value[key] ?? null, rest) : null
}

/** A copy in which the member at a path is another one; null takes it away. Objects that are missing on the way are made. */
export const withMember = (value: JsonObject, [key, ...rest]: readonly string[], member: Json): JsonObject => {
  if (key === undefined) return value
  const inner = Object.hasOwn(value, key) ? value[key] : undefined
  const next = rest.length === 0 ? member : withMember(isObject(inner) ? inner : {}, rest, member)
  const others = Object.entries(value).filter(([name]) => name !== key)
  // fromEntries defines members, whatever they are called; an assignment could reach a prototype.
  return Object.fromEntries(next === null ? others : [...others, [key, next]])
}
