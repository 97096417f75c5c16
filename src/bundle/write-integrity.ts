import { integritySpans } from './manifest-integrity.ts'

/**
 * The text of a manifest with its top-level `integrity` set to `integrity`. Only the characters between the quotes of
 * that value change; a missing member is put behind the last one in the same style. The text is a JSON object, with or
 * without BOM. Null where that cannot be done: an `integrity` that is no string, or two of them.
 */
export const withIntegrity = (text: string, integrity: string): string | null => {
  const spans = integritySpans(text)
  const [span] = spans
  if (span !== undefined) {
    return spans.length === 1 ? text.slice(0, span.start) + integrity + text.slice(span.end) : null
  }
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.hasOwn(value, 'integrity'))
    return null
  return insertMember(text, `"integrity":${afterColon(text)}"${integrity}"`)
}

const insertMember = (text: string, member: string): string => {
  const close = text.lastIndexOf('}')
  const before = text.slice(0, close)
  const end = before.trimEnd().length
  const open = text.indexOf('{')
  if (end === open + 1) return `${text.slice(0, end)}${member}${text.slice(end)}`
  const gap = lineStart(text.slice(open + 1)) ?? (/,[ \t]/.test(before) ? ' ' : '')
  return `${text.slice(0, end)},${gap}${member}${text.slice(end)}`
}

/** Line end and indentation of the first member, where members stand on lines of their own. */
const lineStart = (members: string): string | null => /^\s*?(\r?\n[ \t]*)(?=\S)/.exec(members)?.[1] ?? null

/** The blank this text puts between a key and its value. */
const afterColon = (text: string): string => /":([ \t]*)/.exec(text)?.[1] ?? ' '
