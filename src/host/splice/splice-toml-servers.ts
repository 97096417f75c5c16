import { TomlDate, type TomlTable, type TomlValue } from 'smol-toml'
import { GsdError } from '../../errors.ts'
import type { HostServer } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { shapeError } from './json-document.ts'
import { type FoundServer, matchServers } from './match-servers.ts'
import { requireFreeNames, serverWarnings } from './server-conflicts.ts'
import { applyPatches } from './text-patch.ts'
import {
  isTomlTable,
  parseTomlDocument,
  parseTomlPath,
  type TomlDocument,
  unorderedTomlOutline,
} from './toml-document.ts'
import { findFences, insertInFence } from './toml-fence.ts'
import { quoteTomlString } from './toml-hook-tables.ts'
import { removeBlocks, type TomlBlock } from './toml-remove.ts'
import type { TomlItem } from './toml-scan.ts'

interface TomlServer extends FoundServer, TomlBlock {
  readonly table: TomlValue
}

const KEY = 'mcp_servers'

/**
 * Puts `[mcp_servers.<name>]` tables into a TOML text, inside a fence of comments at its end, and takes them out again,
 * wherever they stand now. Proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE, HOST_SERVER_NAME
 */
export const spliceTomlServers = (text: string, request: SpliceRequest<HostServer>): SpliceResult => {
  const document = parseTomlDocument(text, request.file)
  const fences = findFences(document)
  const servers = findServers(document)
  const claims = matchServers(servers, request)
  if (request.strict) requireFreeNames(document, claims)
  const gone = claims.toRemove.map(({ entry }) => entry)
  requireTables(document, gone, claims.toAdd.length > 0)
  const own = fences.find(({ id }) => id === request.id)
  const lines = claims.toAdd.flatMap(renderServer)
  const insertion = lines.length === 0 ? null : insertInFence(document, own, request.id, lines)
  const cuts = removeBlocks(document, fences, gone, insertion === null ? null : (own ?? null))
  const patches = [...(insertion === null ? [] : [insertion]), ...cuts].toSorted((a, b) => b.offset - a.offset)
  const after = applyPatches(text, patches)
  if (
    after === null ||
    outlineWithServers(parseTomlDocument(after, request.file).table) !==
      expectedOutline(document, servers, gone, claims.toAdd)
  ) {
    throw new GsdError('INTERNAL_ERROR', `the edit of ${request.file} could not be proven right; nothing was written`)
  }
  return { text: after, patches, containers: [], warnings: serverWarnings(document, claims) }
}

const findServers = ({ text, table, items }: TomlDocument): TomlServer[] => {
  const sections = new Map<string, TomlItem[]>()
  /** Where a server is first spoken of, in whichever form; under no name the place of a form that holds them all. */
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

/** What is written in another form can neither be added to nor cut. */
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

/** A table without servers says the same as none. */
const outlineWithServers = ({ [KEY]: servers, ...rest }: TomlTable): string =>
  unorderedTomlOutline(isTomlTable(servers) && Object.keys(servers).length > 0 ? { ...rest, [KEY]: servers } : rest)

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
