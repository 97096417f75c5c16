import type { LineCounter, parseDocument } from 'yaml'
import { SKILL_LIMITS } from '../limits.ts'

/** What the frontmatter of a `SKILL.md` says; a field it lacks is absent. */
export interface Frontmatter {
  readonly name?: string
  readonly description?: string
  readonly category?: string
  readonly risk?: string
  readonly source?: string
  readonly date_added?: string
  readonly tags?: readonly string[]
}

export interface FrontmatterFault {
  /** 1-based line of the file. */
  readonly line: number
  readonly message: string
  readonly hint: string
}

export interface ReadFrontmatter {
  readonly fields: Frontmatter
  /** Null where the frontmatter is valid. */
  readonly fault: FrontmatterFault | null
}

interface Yaml {
  readonly LineCounter: typeof LineCounter
  readonly parseDocument: typeof parseDocument
}

/**
 * Reads the frontmatter of a `SKILL.md`: YAML of the core schema between two lines of `---`. What is not valid YAML is
 * read line by line instead, and the fault says where and what to do.
 * @param text The first 64 KiB of the file, or all of it
 * @param yaml The `yaml` package, which the caller imports when there is something to read
 */
export const readFrontmatter = (text: string, yaml: Yaml): ReadFrontmatter => {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const start = lines.findIndex((line) => line.trim() !== '')
  if (lines[start]?.trimEnd() !== '---') return none('has no frontmatter', start + 1)
  const length = lines.slice(start + 1).findIndex((line) => /^(?:---|\.\.\.)\s*$/.test(line))
  if (length < 0) return none('has no line "---" that ends its frontmatter', start + 1)
  const block = lines.slice(start + 1, start + 1 + length)
  return parseBlock(block, start + 2, yaml)
}

const none = (words: string, line: number): ReadFrontmatter => ({
  fields: {},
  fault: { line: Math.max(1, line), message: words, hint: 'start the file with ---, name:, description: and ---' },
})

const parseBlock = (block: readonly string[], firstLine: number, yaml: Yaml): ReadFrontmatter => {
  const source = block.join('\n')
  const lineCounter = new yaml.LineCounter()
  const document = yaml.parseDocument(source, { schema: 'core', lineCounter, prettyErrors: false, logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) {
    const line = lineCounter.linePos(error.pos[0]).line - 1
    const at = block[line] ?? ''
    const message = `is not valid YAML: ${error.message.split('\n', 1)[0] ?? ''}`
    return { fields: readLines(block), fault: { line: firstLine + line, message, hint: remedyFor(error.code, at) } }
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: SKILL_LIMITS.aliases, mapAsMap: true })
    if (value === null || value instanceof Map) return { fields: fieldsOf(value ?? new Map()), fault: null }
    return fallBack(block, firstLine, 'is not a list of fields')
  } catch (thrown) {
    return fallBack(block, firstLine, `cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

const fallBack = (block: readonly string[], line: number, message: string): ReadFrontmatter => ({
  fields: readLines(block),
  fault: { line, message, hint: 'write plain fields: name: and description:' },
})

const remedyFor = (code: string, line: string): string => {
  if (code === 'DUPLICATE_KEY') return 'remove one of the two; the first counts'
  if (/^\s*[\w-]+:\s.*:(?:\s|$)/.test(line)) return 'put the value in double quotes, because it holds ": "'
  if (line.includes('\t')) return 'indent with blanks instead of tabs'
  return 'put the value in double quotes'
}

const TEXT_FIELDS = ['name', 'description', 'category', 'risk', 'source', 'date_added'] as const

const fieldsOf = (value: ReadonlyMap<unknown, unknown>): Frontmatter => {
  const texts = TEXT_FIELDS.flatMap((field) => {
    const text = textOf(value.get(field))
    return text === null ? [] : [[field, text] as const]
  })
  const tags = tagsOf(value.get('tags'))
  return { ...(Object.fromEntries(texts) as Frontmatter), ...(tags === null ? {} : { tags }) }
}

/** A scalar as a text; null for what is empty, or no scalar. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

const tagsOf = (value: unknown): readonly string[] | null => {
  const list = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(list)) return null
  return list.flatMap((tag: unknown) => textOf(tag)?.trim() ?? [])
}

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
