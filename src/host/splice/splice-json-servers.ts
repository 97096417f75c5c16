import type { Node } from 'jsonc-parser'
import type { HostServer } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { appendItem } from './append-item.ts'
import { requireFreeNames, serverWarnings } from './entry-warnings.ts'
import { addMember, ensureRoot, recordGap, requireContainer } from './insert-hook.ts'
import { parseDocument } from './json-document.ts'
import { applyStep, type JsonDraft, memberValue } from './json-draft.ts'
import { detectStyle, writeMember } from './json-style.ts'
import { type FoundServer, matchServers } from './match-servers.ts'
import { removeAt, spliceDocument } from './remove-entry.ts'

/** A server in a JSON text, with its place in the tree. */
interface JsonServer extends FoundServer {
  readonly path: readonly number[]
}

/**
 * Adds servers to one member of a JSON text, `mcpServers` in most hosts, and removes others, by offsets: every other byte stays, and each step is
 * proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE, HOST_SERVER_NAME
 */
export const spliceJsonServers = (text: string, key: string, request: SpliceRequest<HostServer>): SpliceResult => {
  const document = parseDocument(text, request.file)
  const matches = matchServers(findServers(document.root, key), request)
  if (request.strict) requireFreeNames(document, matches)
  return {
    ...spliceDocument(document, request, {
      ...matches,
      insert: (draft, server) => insertServer(draft, key, server),
      remove: (draft, { path }) => removeAt(draft, path),
    }),
    warnings: serverWarnings(document, matches),
  }
}

/** All servers of one member of a text. @throws HOST_SETTINGS_UNPARSABLE */
export const listJsonServers = (text: string, key: string, file: string): readonly FoundServer[] =>
  findServers(parseDocument(text, file).root, key)

const insertServer = (draft: JsonDraft, key: string, { name, value }: HostServer): JsonDraft => {
  const rooted = ensureRoot(draft)
  const root = rooted.document.root as Node
  const servers = requireContainer(rooted, root, key, 'object')
  if (servers === null) return addMember(rooted, root, '', key, { [name]: value })
  const ready = recordGap(rooted, servers, `/${key}`)
  const style = detectStyle(ready.document)
  const patches = appendItem(ready.document, servers, style, (layout) => writeMember(name, value, style, layout))
  const added = { to: servers, item: `${JSON.stringify(name)}:${JSON.stringify(value)}` }
  return applyStep(ready, patches, { added })
}

const findServers = (root: Node | null, key: string): JsonServer[] =>
  (root?.type === 'object' ? (root.children ?? []) : []).flatMap((property, index) => {
    const servers = property.children?.[0]?.value === key ? memberValue(property) : undefined
    if (servers?.type !== 'object') return []
    return (servers.children ?? []).map((server, at) => ({
      name: String(server.children?.[0]?.value),
      value: nodeToJson(memberValue(server)),
      offset: server.offset,
      path: [index, 1, at],
    }))
  })

/** The value of a node. Not by assignment, which would set a prototype for a member `__proto__`. */
const nodeToJson = (node: Node | undefined): Json => {
  if (node?.type === 'array') return (node.children ?? []).map(nodeToJson)
  if (node?.type !== 'object') return (node?.value ?? null) as Json
  return Object.fromEntries(
    (node.children ?? []).map((property) => [String(property.children?.[0]?.value), nodeToJson(memberValue(property))]),
  )
}
