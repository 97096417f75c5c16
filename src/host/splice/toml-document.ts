import { parse, TomlDate, TomlError, type TomlTable, type TomlValue } from 'smol-toml'
import { GsdError } from '../../errors.ts'
import { scanToml, type TomlItem } from './toml-scan.ts'

export interface TomlDocument {
  readonly file: string
  readonly text: string
  readonly table: TomlTable
  readonly items: readonly TomlItem[]
}

/** @throws HOST_SETTINGS_UNPARSABLE with line and column. */
export const parseTomlDocument = (text: string, file: string): TomlDocument => ({
  file,
  text,
  table: parseTable(text, file),
  items: scanToml(text),
})

/** A value as one line, keys in order, to compare what two texts mean. */
export const tomlOutline = (value: TomlValue): string => {
  if (Array.isArray(value)) return `[${value.map(tomlOutline).join()}]`
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${tomlOutline(member)}`)
      .join()}}`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The same without the order of keys, which means nothing in TOML. */
export const unorderedTomlOutline = (value: TomlValue): string => {
  if (Array.isArray(value)) return `[${value.map(unorderedTomlOutline).join()}]`
  if (value instanceof TomlDate || typeof value !== 'object') return tomlOutline(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${unorderedTomlOutline(member)}`)
  return `{${members.sort().join()}}`
}

const parseTable = (text: string, file: string): TomlTable => {
  try {
    return parse(text.replace(/^\uFEFF/, ' '), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const { line, column } = error
    throw new GsdError('HOST_SETTINGS_UNPARSABLE', `${file}:${line}:${column}: not TOML: ${firstLine(error.message)}`, {
      hint: `correct line ${line} of ${file}, then run the command again; the file was left as it is`,
      details: { file, line, column },
      cause: error,
    })
  }
}

const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? message).replace(/^Invalid TOML document: /, '')

/**
 * The keys that a statement of an accepted text names, quotes and escapes read by the parser: `[a."b.c"]` and
 * `a."b.c" = 1` are both `a`, `b.c`. A value does not count: `a = { b = 1 }` is `a`.
 */
export const parseTomlPath = (text: string, { kind, start, end }: TomlItem): readonly string[] => {
  const statement = text.slice(start, end)
  const header = kind === 'header' ? /^\[\[?([\s\S]*?)\]?\]$/.exec(statement)?.[1] : undefined
  const keys = header ?? /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=])*/.exec(statement)?.[0] ?? ''
  const path: string[] = []
  for (let value: TomlValue | undefined = parse(`${keys} = 0`); isTomlTable(value);) {
    const [first]: [string, TomlValue][] = Object.entries(value)
    if (first === undefined) break
    path.push(first[0])
    value = first[1]
  }
  return path
}

export const isTomlTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate)
