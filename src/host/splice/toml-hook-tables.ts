import type { TomlTable, TomlValue } from 'smol-toml'
import type { HostHook } from '../../state/host-edit.ts'
import type { FoundHook } from './match-hooks.ts'
import type { TomlDocument } from './toml-document.ts'
import { isTomlTable, parseTomlPath } from './toml-document.ts'
import type { TomlItem } from './toml-scan.ts'

/** One `[[hooks]]` table, and its statements. */
export interface TomlHook extends FoundHook {
  readonly statements: readonly TomlItem[]
  readonly value: TomlTable
}

/** The `[[hooks]]` tables of the text. Null where `hooks` has another form: the host may read it, but it cannot be spliced. */
export const findTomlHooks = ({ text, table, items }: TomlDocument): TomlHook[] | null => {
  const sections: { statements: TomlItem[] }[] = []
  let current: { statements: TomlItem[] } | null = null
  for (const item of items) {
    if (item.kind === 'comment') continue
    if (item.kind === 'header') {
      const [key, ...below] = parseTomlPath(text, item)
      if (key !== 'hooks') current = null
      else if (below.length === 0) sections.push((current = { statements: [] }))
    }
    current?.statements.push(item)
  }
  const values: TomlValue = Object.hasOwn(table, 'hooks') ? (table['hooks'] ?? []) : []
  if (!Array.isArray(values) || values.length !== sections.length) return null
  if (values.length === 0 && Object.hasOwn(table, 'hooks')) return null
  return sections.flatMap(({ statements }, index) => {
    const value = values[index]
    return isTomlTable(value)
      ? [{ ...parseHookTable(value), value, statements, offset: statements[0]?.start ?? 0 }]
      : []
  })
}

/** One hook as a table. */
export const toTomlTable = ({ event, command, matcher, timeout }: HostHook): TomlTable => ({
  event,
  command,
  ...(matcher === undefined ? {} : { matcher }),
  ...(timeout === undefined ? {} : { timeout }),
})

/** The lines of one hook. */
export const renderTomlHook = (hook: HostHook): string[] => [
  '[[hooks]]',
  ...Object.entries(toTomlTable(hook)).map(
    ([key, value]) => `${key} = ${typeof value === 'string' ? quoteTomlString(value) : String(value)}`,
  ),
]

/** A TOML string on one line. */
export const quoteTomlString = (text: string): string => JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)

const KEYS = ['event', 'command', 'matcher', 'timeout']

const parseHookTable = ({ event, command, matcher, timeout, ...rest }: TomlTable): Omit<FoundHook, 'offset'> => ({
  event: typeof event === 'string' ? event : '',
  command: typeof command === 'string' ? command : '',
  matcher: typeof matcher === 'string' ? matcher : undefined,
  timeout: typeof timeout === 'number' ? timeout : undefined,
  hasExtraMembers: Object.keys(rest).some((key) => !KEYS.includes(key)),
})
