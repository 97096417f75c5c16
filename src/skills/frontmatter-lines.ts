import type { Frontmatter } from './frontmatter.ts'

const FIELD = /^(name|description|category|risk|source|date_added)[ \t]*:(?:[ \t]+(.*))?$/
const BLOCK = /^[|>][-+0-9]*$/

/**
 * Fields of a frontmatter that is not valid YAML, line by line: a line that starts with a known name and a colon, with the
 * indented lines after it. The first line of a name counts.
 */
export const readLines = (lines: readonly string[]): Frontmatter => {
  const fields: Record<string, string> = {}
  lines.forEach((line, at) => {
    const [, name, rest = ''] = FIELD.exec(line) ?? []
    if (name === undefined || Object.hasOwn(fields, name)) return
    const value = [BLOCK.test(rest.trim()) ? '' : rest, ...indentedAfter(lines, at)].join(' ')
    const text = unquoted(value.trim())
    if (text !== '') fields[name] = text
  })
  return fields
}

const indentedAfter = (lines: readonly string[], at: number): readonly string[] => {
  const after = lines.slice(at + 1)
  const end = after.findIndex((line) => line.trim() !== '' && !/^[ \t]/.test(line))
  return (end < 0 ? after : after.slice(0, end)).map((line) => line.trim())
}

const unquoted = (text: string): string => {
  const quote = text.charAt(0)
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text
}
