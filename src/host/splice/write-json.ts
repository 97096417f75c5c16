import type { Json } from '../../store/journal-entry.ts'
import type { Layout, Style } from './layout.ts'

/**
 * A value as text in the style of its surroundings. `spread`: one member a line, the closing bracket at `indent`;
 * otherwise all on one line. Strings are written as `JSON.stringify` writes them.
 */
export const writeJson = (value: Json, style: Style, { spread, indent }: Pick<Layout, 'spread' | 'indent'>): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = { spread, indent: indent + style.unit }
  const [open, close, members] = isArray(value)
    ? ['[', ']', value.map((item) => writeJson(item, style, inner))]
    : ['{', '}', Object.entries(value).map(([key, member]) => writeMember(key, member, style, inner))]
  if (members.length === 0) return open + close
  if (!spread) return open + members.join(style.spaced ? ', ' : ',') + close
  return `${open}${style.eol}${inner.indent}${members.join(`,${style.eol}${inner.indent}`)}${style.eol}${indent}${close}`
}

/** `"key": value`. */
export const writeMember = (
  key: string,
  value: Json,
  style: Style,
  layout: Pick<Layout, 'spread' | 'indent'>,
): string => `${JSON.stringify(key)}:${style.spaced ? ' ' : ''}${writeJson(value, style, layout)}`

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)
