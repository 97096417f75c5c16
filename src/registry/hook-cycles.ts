import { POINTS } from '../manifest/loop-contract.ts'
import { breakCycles } from './break-cycles.ts'
import { findCycleThrough, findCyclicGroups } from './cycles.ts'
import type { HookFacet } from './facets.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'
import { formatCycle } from './requirements.ts'

interface HookNode {
  readonly owner: Member
  readonly hook: HookFacet
}

/**
 * Members that close a cycle of produces and consumes at a point, also of a hook with itself (rule 46). At fault are
 * as few as can be, never a first-party member where another one can go; of two the later one in the order given.
 */
export const findHookCycles = (members: readonly Member[]): Map<Member, readonly Fault[]> => {
  const faults = new Map<Member, Fault[]>()
  for (const [point, nodes] of nodesByPoint(members)) {
    const graph = graphOf(nodes)
    for (const group of findCyclicGroups(graph.length, graph)) {
      for (const [owner, fault] of findClosingMembers(point, group, nodes, graph))
        faults.set(owner, [...(faults.get(owner) ?? []), fault])
    }
  }
  return faults
}

const nodesByPoint = (members: readonly Member[]): Map<string, HookNode[]> => {
  const byPoint = new Map<string, HookNode[]>(POINTS.map((point) => [point, []]))
  for (const owner of members) {
    for (const hook of owner.facets.hooks) {
      // A hook on a cycle has both.
      if (hook.produces.length > 0 && hook.consumes.length > 0) byPoint.get(hook.point)?.push({ owner, hook })
    }
  }
  return byPoint
}

/** Edges from each hook to the artefacts it produces and from each artefact to the hooks that consume it; hooks come first. */
const graphOf = (nodes: readonly HookNode[]): number[][] => {
  const edges: number[][] = nodes.map(() => [])
  const artefacts = new Map<string, number>()
  const produced = new Set(nodes.flatMap((node) => node.hook.produces))
  const artefact = (name: string): number => {
    const known = artefacts.get(name)
    if (known !== undefined) return known
    artefacts.set(name, edges.length)
    return edges.push([]) - 1
  }
  nodes.forEach(({ hook }, at) => {
    for (const name of hook.produces) edges[at]?.push(artefact(name))
    for (const name of hook.consumes) if (produced.has(name)) edges[artefact(name)]?.push(at)
  })
  return edges
}

/** Nodes that may be looked at for the messages of one group, for each node of it. */
const VISITS_FOR_MESSAGES = 16

/** The members who give way so that a cyclic group has no cycle left, each with a cycle that it closes with the others. */
function* findClosingMembers(
  point: string,
  group: readonly number[],
  nodes: readonly HookNode[],
  graph: readonly number[][],
): Generator<[Member, Fault]> {
  const owners = [...new Set([...group].sort((a, b) => a - b).flatMap((at) => nodes[at]?.owner ?? []))]
  const index = new Map(owners.map((owner, at) => [owner, at]))
  const ownerOf = (node: number): number => index.get(nodes[node]?.owner as Member) ?? -1
  const gone = breakCycles({ edges: graph, ownerOf, isFixed: (owner) => owners[owner]?.rank === 0 }, group)
  const nodesOf = new Map<number, number[]>([...gone].map((owner) => [owner, []]))
  for (const node of group) nodesOf.get(ownerOf(node))?.push(node)
  const staying = new Set(group.filter((node) => !gone.has(ownerOf(node))))
  let visits = VISITS_FOR_MESSAGES * group.length
  for (const at of [...gone].sort((a, b) => a - b)) {
    const owner = owners[at] as Member
    const own = new Set(nodesOf.get(at))
    const step = (node: number): number[] => {
      visits -= (graph[node] ?? []).length + 1
      return visits < 0 ? [] : (graph[node] ?? []).filter((target) => staying.has(target) || own.has(target))
    }
    const cycle = firstCycle([...own], step)
    const hooks = (cycle ?? [...own]).flatMap((node) => nodes[node] ?? [])
    yield [
      owner,
      cycle === null ? longCycleFault(point, hooks[0] as HookNode, owners.length) : cycleFault(point, hooks),
    ]
  }
}

const firstCycle = (starts: readonly number[], step: (at: number) => number[]): number[] | null => {
  for (const at of starts) {
    const cycle = findCycleThrough(at, step)
    if (cycle.length > 0) return cycle
  }
  return null
}

const longCycleFault = (point: string, { hook }: HookNode, count: number): Fault => ({
  code: 'REGISTRY_HOOK_CYCLE',
  reason: `at ${point} its ${hook.kind} closes a cycle of produces and consumes among ${count} capabilities`,
  pointer: hook.pointer,
})

const cycleFault = (point: string, cycle: readonly HookNode[]): Fault => {
  const first = cycle[0] as HookNode
  const other = cycle.find((node) => node.owner !== first.owner)?.owner
  const path = formatCycle(cycle.map(({ owner, hook }) => `${owner.id} (${hook.produces.join(', ')})`))
  return {
    code: 'REGISTRY_HOOK_CYCLE',
    reason:
      cycle.length === 1
        ? `its ${first.hook.kind} at ${point} consumes what it produces: ${first.hook.consumes.filter((name) => first.hook.produces.includes(name)).join(', ')}`
        : `at ${point} its ${first.hook.kind} closes a cycle of produces and consumes: ${path}`,
    pointer: first.hook.pointer,
    ...(other === undefined ? {} : { blocker: other }),
  }
}
