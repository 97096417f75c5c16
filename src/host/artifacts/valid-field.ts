import type { Field } from './frontmatter.ts'

/** A member that every YAML parser reads: a value that some refuse is quoted, and so is each description. */
export const validField = (field: Field, indent: string, eol: string): Field => {
  const value = valueOf(field)
  if (isValid(value) && (field.key !== 'description' || isQuoted(value))) return field
  return { key: field.key, raw: `${indent}${field.key}: ${JSON.stringify(textOf(value))}${eol}` }
}

/** What follows the colon, without the line end. */
const valueOf = ({ raw }: Field): string => {
  const [head = ''] = /^ *(?:"[^"]*"|'[^']*'|[^\s:"']+)[ \t]*:/.exec(raw) ?? []
  return raw.slice(head.length).replaceAll('\r\n', '\n').trimEnd()
}

/** In quotes from end to end, with escapes that YAML knows. */
const isQuoted = (value: string): boolean =>
  /^[ \t]*(?:"(?:[^"\\\n]|\\[0abtnvfre "/\\N_LPxuU])*"|'(?:[^'\n]|'')*')(?:[ \t]+#.*)?$/.test(value)

const isValid = (value: string): boolean => {
  const [first = '', ...below] = value.split('\n')
  if (below.length > 0) return isValidHead(first) && !below.some((line) => !isValidBelow(line, first))
  const text = first.trim()
  if (text === '' || text.startsWith('#') || isQuoted(text)) return true
  if (text.startsWith('[')) return /^\[(?:[^[\]{}"'\\:#]|"[^"\\]*"|'[^']*')*\](?:\s+#.*)?$/.test(text)
  return !/^[!&*@`%|>{}\],"']|^[-?:](?:\s|$)|:(?:\s|$)|\t/.test(text)
}

/** Nothing but an indicator of a block before the lines below. */
const isValidHead = (first: string): boolean => /^[ \t]*(?:[|>][+-]?\d?[+-]?)?[ \t]*(?:#.*)?$/.test(first)

/** Indented by blanks; outside a block, no second colon and no unfinished quote or bracket. */
const isValidBelow = (line: string, first: string): boolean => {
  if (/^ *\t/.test(line)) return false
  if (/[|>]/.test(first)) return line === '' || line.startsWith(' ')
  const [, value = ''] = /^\s*(?:- +)?(?:[\w-]+:(?:\s+|$))?(.*)$/.exec(line) ?? []
  return isValid(value)
}

/** The text of a value that is not valid: a block by its indicator, anything else as one line. */
const textOf = (value: string): string => {
  const [, indicator] = /^\s*([|>])[+-]?\d?[+-]?[ \t]*\n/.exec(value) ?? []
  const lines = value.split('\n').map((line) => line.trim())
  if (indicator === '|') return lines.slice(1).join('\n').trim()
  const text = (indicator === '>' ? lines.slice(1) : lines).join(' ').trim()
  const [, quoted] = /^"(.*)"$/.exec(text) ?? []
  if (quoted !== undefined) return quoted.replaceAll(String.raw`\"`, '"')
  return isValid(text) ? text.replace(/\s#.*$/, '').trim() : text
}
