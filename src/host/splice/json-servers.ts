import type { Node } from 'jsonc-parser'
import type { Json } from '../../store/journal-entry.ts'
import type { HostServer } from '../host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { appendItem } from './append.ts'
import { claimServers, type FoundServer } from './claim-servers.ts'
import { parseDocument } from './document.ts'
import { step, valueOf, type Draft } from './draft.ts'
import { makeMember, member, rememberGap, withRoot } from './insert.ts'
import { styleOf } from './layout.ts'
import { outlineOf } from './outline.ts'
import { requireFreeNames, serverWarnings } from './server-faults.ts'
import { cutAt, sweepContainers } from './withdraw.ts'
import { writeMember } from './write-json.ts'

/** A server in a JSON text, with the way to it through the tree. */
interface JsonServer extends FoundServer {
  readonly path: readonly number[]
}

const KEY = 'mcpServers'

/**
 * Puts servers below `mcpServers` of a JSON text and takes others out, by offsets: every other byte stays, and each step
 * is proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE, HOST_SERVER_NAME
 */
export const spliceServers = (text: string, request: SpliceRequest<HostServer>): SpliceResult => {
  const document = parseDocument(text, request.file)
  const claims = claimServers(serversOf(document.root), request)
  if (request.strict) requireFreeNames(document, claims)
  const start: Draft = { document, patches: [], containers: request.containers }
  const filled = claims.missing.reduce(insertServer, start)
  const lastFirst = claims.going.map(({ entry }) => entry).toSorted((a, b) => b.offset - a.offset)
  const emptied = lastFirst.reduce((draft, { path }) => cutAt(draft, path), filled)
  const done = request.remove.length > 0 ? sweepContainers(emptied, request.inUse) : emptied
  return {
    text: done.document.text,
    patches: done.patches,
    containers: done.containers,
    warnings: serverWarnings(document, claims),
  }
}

const insertServer = (draft: Draft, { name, value }: HostServer): Draft => {
  const rooted = withRoot(draft)
  const root = rooted.document.root as Node
  const servers = member(rooted, root, KEY, 'object')
  if (servers === null) return makeMember(rooted, root, '', KEY, { [name]: value })
  const ready = rememberGap(rooted, servers, `/${KEY}`)
  const style = styleOf(ready.document)
  const patches = appendItem(ready.document, servers, style, (layout) => writeMember(name, value, style, layout))
  const added = { to: servers, item: `${JSON.stringify(name)}:${outlineOf(value)}` }
  return step(ready, patches, { added })
}

const serversOf = (root: Node | null): JsonServer[] =>
  (root?.type === 'object' ? (root.children ?? []) : []).flatMap((property, index) => {
    const servers = property.children?.[0]?.value === KEY ? valueOf(property) : undefined
    if (servers?.type !== 'object') return []
    return (servers.children ?? []).map((server, at) => ({
      name: String(server.children?.[0]?.value),
      value: jsonOf(valueOf(server)),
      offset: server.offset,
      path: [index, 1, at],
    }))
  })

/** What a node says. Members are defined, whatever they are called; an assignment could reach a prototype. */
const jsonOf = (node: Node | undefined): Json => {
  if (node?.type === 'array') return (node.children ?? []).map(jsonOf)
  if (node?.type !== 'object') return (node?.value ?? null) as Json
  return Object.fromEntries(
    (node.children ?? []).map((property) => [String(property.children?.[0]?.value), jsonOf(valueOf(property))]),
  )
}
