import { TomlDate, type TomlTable, type TomlValue } from 'smol-toml'
import type { HostServer } from '../../state/host-edit.ts'
import { isObject, type Json } from '../../state/json-text.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { requireFreeNames, serverWarnings } from './entry-warnings.ts'
import { shapeError } from './json-document.ts'
import { type FoundServer, matchServers } from './match-servers.ts'
import { spliceBlocks, type TomlBlock } from './toml-blocks.ts'
import {
  isTomlTable,
  parseTomlDocument,
  parseTomlPath,
  type TomlDocument,
  unorderedTomlOutline,
} from './toml-document.ts'
import { findFences } from './toml-fence.ts'
import { quoteTomlString } from './toml-hook-tables.ts'
import type { TomlItem } from './toml-scan.ts'

interface TomlServer extends FoundServer, TomlBlock {
  readonly table: TomlValue
}

const KEY = 'mcp_servers'

/**
 * Adds `[mcp_servers.<name>]` tables to a TOML text, inside a fence of comments at its end, and removes them wherever they
 * are now. Proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE, HOST_SERVER_NAME
 */
export const spliceTomlServers = (text: string, request: SpliceRequest<HostServer>): SpliceResult => {
  const document = parseTomlDocument(text, request.file)
  const servers = findServers(document)
  const matches = matchServers(servers, request)
  if (request.strict) requireFreeNames(document, matches)
  const gone = matches.toRemove.map(({ found }) => found)
  requireTables(document, gone, matches.toAdd.length > 0)
  return {
    ...spliceBlocks(document, request.id, {
      lines: matches.toAdd.flatMap(renderServer),
      gone,
      outline: outlineWithServers,
      expected: () => expectedOutline(document, servers, gone, matches.toAdd),
    }),
    warnings: serverWarnings(document, matches),
  }
}

/** All servers of a text. @throws HOST_SETTINGS_UNPARSABLE */
export const listTomlServers = (text: string, file: string): readonly FoundServer[] =>
  findServers(parseTomlDocument(text, file))

/** The servers between the comment lines of a capability. @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE */
export const listFencedServers = (text: string, file: string, id: string): readonly HostServer[] => {
  const document = parseTomlDocument(text, file)
  const own = findFences(document).find((fence) => fence.id === id)
  return findServers(document).flatMap(({ name, value, offset }): HostServer[] =>
    own !== undefined && offset > own.begin.start && offset < own.end.start && isObject(value)
      ? [{ kind: 'server', name, value, folder: null }]
      : [],
  )
}

const findServers = ({ text, table, items }: TomlDocument): TomlServer[] => {
  const sections = new Map<string, TomlItem[]>()
  /** Where a server is first named, in any form; under undefined the place of a form that holds them all. */
  const paths = new Map<string | undefined, number>()
  let header: readonly string[] = []
  for (const item of items) {
    if (item.kind === 'comment') continue
    if (item.kind === 'header') header = parseTomlPath(text, item)
    if (header.length > 0 && header[0] !== KEY) continue
    const [key, name] = item.kind === 'header' ? header : [...header, ...parseTomlPath(text, item)]
    if (key === KEY && !paths.has(name)) paths.set(name, item.start)
    const [, section] = header
    if (section === undefined) continue
    const known = sections.get(section)
    if (known === undefined) sections.set(section, [item])
    else known.push(item)
  }
  const servers = Object.hasOwn(table, KEY) ? table[KEY] : undefined
  return Object.entries(isTomlTable(servers) ? servers : {}).map(([name, server]) => {
    const offset = paths.get(name) ?? paths.get(undefined) ?? 0
    return { name, value: tomlToJson(server), table: server, statements: sections.get(name) ?? [], offset }
  })
}

/** Servers written in another form can neither be added to nor removed. */
const requireTables = (document: TomlDocument, gone: readonly TomlServer[], adding: boolean): void => {
  const { items, text, table } = document
  const first = items.findIndex(({ kind }) => kind === 'header')
  const place = items.find((item, at) => {
    if (item.kind === 'comment' || (item.kind === 'pair' && first !== -1 && at > first)) return false
    const [key, name] = parseTomlPath(text, item)
    return key === KEY && (item.kind === 'pair' || name === undefined)
  })
  const inTheWay = place?.kind === 'pair' || (Object.hasOwn(table, KEY) && !isTomlTable(table[KEY]))
  if (!(adding && inTheWay) && gone.every(({ statements }) => statements.length > 0)) return
  throw shapeError(
    document,
    place?.start ?? 0,
    `"${KEY}" is not written as [${KEY}.<name>] tables`,
    `write each server as a table of its own, such as [${KEY}.mine]`,
  )
}

const renderServer = ({ name, value }: HostServer): string[] => [
  `[${KEY}.${/^[A-Za-z0-9_-]+$/.test(name) ? name : quoteTomlString(name)}]`,
  ...Object.entries(value).map(([key, member]) => `${key} = ${renderTomlValue(member)}`),
]

const renderTomlValue = (value: Json): string => {
  if (typeof value === 'string') return quoteTomlString(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (isList(value)) return `[${value.map(renderTomlValue).join(', ')}]`
  const members = Object.entries(value).map(([key, member]) => `${quoteTomlString(key)} = ${renderTomlValue(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const tomlToJson = (value: TomlValue): Json => {
  if (Array.isArray(value)) return value.map(tomlToJson)
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, tomlToJson(member)]))
    : value
}

const expectedOutline = (
  { table }: TomlDocument,
  servers: readonly TomlServer[],
  gone: readonly TomlServer[],
  missing: readonly HostServer[],
): string => {
  const stay = servers.filter((server) => !gone.includes(server)).map(({ name, table: value }) => [name, value])
  const added = missing.map(({ name, value }) => [name, value])
  return outlineWithServers({ ...table, [KEY]: Object.fromEntries([...stay, ...added]) as TomlTable })
}

/** A table without servers means the same as none. */
const outlineWithServers = ({ [KEY]: servers, ...rest }: TomlTable): string =>
  unorderedTomlOutline(isTomlTable(servers) && Object.keys(servers).length > 0 ? { ...rest, [KEY]: servers } : rest)

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
