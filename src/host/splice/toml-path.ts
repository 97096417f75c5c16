import { parse, TomlDate, type TomlTable, type TomlValue } from 'smol-toml'
import type { TomlItem } from './toml-scan.ts'

/**
 * The keys that a statement of an accepted text names, quotes and escapes read by the parser: `[a."b.c"]` and
 * `a."b.c" = 1` are both `a`, `b.c`. A value does not count: `a = { b = 1 }` is `a`.
 */
export const tomlPath = (text: string, { kind, start, end }: TomlItem): readonly string[] => {
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
