import { findCyclicGroups } from './cycles.ts'

/** A graph in which some nodes belong to somebody; nodes are the numbers below `edges.length`. */
export interface OwnedGraph {
  readonly edges: readonly (readonly number[])[]
  /** Owner of a node, or -1. Of two owners the higher one gives way. */
  readonly ownerOf: (node: number) => number
  /** Owners that stay whatever they close. */
  readonly isFixed: (owner: number) => boolean
}

/** Up to so many owners the smallest set is searched for; beyond, owners are taken out one by one. */
const MOST_OWNERS = 10
const MOST_NODES = 200
/** How often each node may be looked at before the rest is broken in one pass. */
const MOST_VISITS = 64

/**
 * Owners without whom a cyclic group has no cycle: those that close one alone, then the smallest set of others where the
 * group is small, else those on most paths first. In time that grows with the size of the group.
 */
export const breakCycles = (graph: OwnedGraph, group: readonly number[]): ReadonlySet<number> => {
  const gone = ownCycles(graph, group)
  const open = cyclicParts(graph, without(graph, group, gone))
  let visits = MOST_VISITS * group.length
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    visits -= part.length
    const chosen = visits < 0 ? backEdgeOwners(graph, part) : chooseOwners(graph, part)
    for (const owner of chosen) gone.add(owner)
    open.push(...cyclicParts(graph, without(graph, part, chosen)))
    if (chosen.size === 0) return gone
  }
  return gone
}

/** Owners whose own nodes alone form a cycle, over shared ones between them. */
const ownCycles = (graph: OwnedGraph, group: readonly number[]): Set<number> => {
  const sources = new Map<number, number[]>(group.map((node) => [node, []]))
  for (const node of group)
    if (graph.ownerOf(node) === -1) for (const target of graph.edges[node] ?? []) sources.get(target)?.push(node)
  const gone = new Set<number>()
  for (const [owner, nodes] of nodesByOwner(graph, group))
    if (!graph.isFixed(owner) && hasCycle(nodes, graph, sources)) gone.add(owner)
  return gone
}

/** Whether nodes lead back to themselves over one shared node at a time. */
const hasCycle = (
  nodes: readonly number[],
  { edges }: OwnedGraph,
  sources: ReadonlyMap<number, readonly number[]>,
): boolean => {
  const behind = new Map<number, number[]>()
  nodes.forEach((node, at) => {
    for (const shared of sources.get(node) ?? []) {
      const known = behind.get(shared)
      if (known === undefined) behind.set(shared, [at])
      else known.push(at)
    }
  })
  const inner = nodes.map((node) => (edges[node] ?? []).flatMap((shared) => behind.get(shared) ?? []))
  return findCyclicGroups(nodes.length, inner).length > 0
}

const chooseOwners = (graph: OwnedGraph, part: readonly number[]): ReadonlySet<number> => {
  const all = [...nodesByOwner(graph, part).keys()].sort((a, b) => b - a)
  const free = all.filter((owner) => !graph.isFixed(owner))
  const owners = free.length > 0 ? free : all
  return owners.length <= MOST_OWNERS && part.length <= MOST_NODES
    ? smallestSet(graph, part, owners)
    : new Set([busiestOwner(graph, part, owners)])
}

/** The smallest set; of several, the one with those that give way first. */
const smallestSet = (graph: OwnedGraph, part: readonly number[], owners: readonly number[]): ReadonlySet<number> => {
  for (let size = 1; size < owners.length; size++) {
    for (const set of subsets(owners, size)) {
      const chosen = new Set(set)
      if (cyclicParts(graph, without(graph, part, chosen)).length === 0) return chosen
    }
  }
  return new Set(owners)
}

function* subsets(items: readonly number[], size: number): Generator<readonly number[]> {
  if (size === 0) yield []
  else
    for (let at = 0; at + size <= items.length; at++)
      for (const rest of subsets(items.slice(at + 1), size - 1)) yield [items[at] as number, ...rest]
}

/** The owner that lies on most ways through the part: ways in times ways out. */
const busiestOwner = (graph: OwnedGraph, part: readonly number[], owners: readonly number[]): number => {
  const inside = new Set(part)
  const incoming = new Map<number, number>()
  for (const node of part)
    for (const target of graph.edges[node] ?? [])
      if (inside.has(target)) incoming.set(target, (incoming.get(target) ?? 0) + 1)
  const into = new Map<number, number>()
  const out = new Map<number, number>()
  for (const node of part) {
    for (const target of graph.edges[node] ?? []) {
      if (!inside.has(target)) continue
      // From a node with an owner to a shared one and on: as many ways out as the shared one has.
      const from = graph.ownerOf(node)
      const to = graph.ownerOf(target)
      if (from !== -1) addTo(out, from, to === -1 ? (graph.edges[target] ?? []).length : 1)
      if (to !== -1) addTo(into, to, from === -1 ? (incoming.get(node) ?? 0) : 1)
    }
  }
  let best = owners[0] ?? -1
  let most = -1
  for (const owner of owners) {
    const ways = (into.get(owner) ?? 0) * (out.get(owner) ?? 0)
    if (ways > most) [best, most] = [owner, ways]
  }
  return best
}

const addTo = (counts: Map<number, number>, owner: number, count: number): void =>
  void counts.set(owner, (counts.get(owner) ?? 0) + count)

/**
 * An owner on every cycle of a part, in one walk: where an edge leads back to a node that is being walked, the last owner
 * on the way between that may go.
 */
const backEdgeOwners = (graph: OwnedGraph, part: readonly number[]): ReadonlySet<number> => {
  const inside = new Set(part)
  const place = new Map<number, number>()
  const done = new Set<number>()
  const gone = new Set<number>()
  for (const root of part) {
    if (done.has(root)) continue
    const way: Frame[] = []
    const enter = (node: number): void => {
      const owner = graph.ownerOf(node)
      const at = way.length
      const before = way.at(-1)
      const isFree = owner !== -1 && !graph.isFixed(owner)
      place.set(node, at)
      way.push({
        node,
        next: 0,
        lastFree: isFree ? at : (before?.lastFree ?? -1),
        lastGone: gone.has(owner) ? at : (before?.lastGone ?? -1),
      })
    }
    enter(root)
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const target = (graph.edges[top.node] ?? [])[top.next++]
      if (target === undefined) {
        way.pop()
        place.delete(top.node)
        done.add(top.node)
        continue
      }
      const at = place.get(target)
      if (at === undefined) {
        if (inside.has(target) && !done.has(target)) enter(target)
      } else if (top.lastGone < at && top.lastFree >= at) {
        gone.add(graph.ownerOf(way[top.lastFree]?.node ?? -1))
        for (const frame of way.slice(top.lastFree)) frame.lastGone = top.lastFree
      }
    }
  }
  return gone
}

/** A node that is being walked; places count from the start of the way, -1: none. */
interface Frame {
  readonly node: number
  next: number
  readonly lastFree: number
  lastGone: number
}

const nodesByOwner = (graph: OwnedGraph, nodes: readonly number[]): ReadonlyMap<number, number[]> => {
  const byOwner = new Map<number, number[]>()
  for (const node of nodes) {
    const owner = graph.ownerOf(node)
    if (owner === -1) continue
    const own = byOwner.get(owner)
    if (own === undefined) byOwner.set(owner, [node])
    else own.push(node)
  }
  return byOwner
}

const without = (graph: OwnedGraph, nodes: readonly number[], owners: ReadonlySet<number>): readonly number[] =>
  nodes.filter((node) => !owners.has(graph.ownerOf(node)))

/** The cyclic groups among some nodes of a graph. */
const cyclicParts = ({ edges }: OwnedGraph, nodes: readonly number[]): number[][] => {
  const index = new Map(nodes.map((node, at) => [node, at]))
  const inner = nodes.map((node) => (edges[node] ?? []).flatMap((target) => index.get(target) ?? []))
  return findCyclicGroups(nodes.length, inner).map((group) => group.map((at) => nodes[at] as number))
}
