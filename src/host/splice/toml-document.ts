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
  table: parsed(text, file),
  items: scanToml(text),
})

/** A value as one line, keys in order, so that two texts can be compared by what they say. */
export const tomlOutline = (value: TomlValue): string => {
  if (Array.isArray(value)) return `[${value.map(tomlOutline).join()}]`
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${tomlOutline(member)}`)
      .join()}}`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The same whatever the order of keys, which TOML does not count. */
export const tomlContent = (value: TomlValue): string => {
  if (Array.isArray(value)) return `[${value.map(tomlContent).join()}]`
  if (value instanceof TomlDate || typeof value !== 'object') return tomlOutline(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${tomlContent(member)}`)
  return `{${members.sort().join()}}`
}

const parsed = (text: string, file: string): TomlTable => {
  try {
    return parse(text.replace(/^\uFEFF/, ' '), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const { line, column } = error
    throw new GsdError('HOST_SETTINGS_UNPARSABLE', `${file}:${line}:${column}: not TOML: ${firstLine(error.message)}`, {
      hint: `mend line ${line} of ${file}, then run the command again; the file was left as it is`,
      details: { file, line, column },
      cause: error,
    })
  }
}

const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? message).replace(/^Invalid TOML document: /, '')
