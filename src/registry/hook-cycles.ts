import { POINTS } from '../manifest/loop-contract.ts'
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
 * Members that close a cycle of produces and consumes at a point, also of a hook with itself (rule 46). Of those on one
 * cycle only the ones are at fault that close it, in the order in which the members are given.
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
      // Whatever lies on a cycle has both.
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

/** Adds the owners of a cyclic group one by one; whoever closes a cycle with those before is at fault and stays out. */
function* findClosingMembers(
  point: string,
  group: readonly number[],
  nodes: readonly HookNode[],
  graph: readonly number[][],
): Generator<[Member, Fault]> {
  const added = new Set(group.filter((at) => at >= nodes.length))
  const step = (at: number): number[] => (graph[at] ?? []).filter((target) => added.has(target))
  const hooks = group.filter((at) => at < nodes.length).sort((a, b) => a - b)
  for (const owner of new Set(hooks.map((at) => (nodes[at] as HookNode).owner))) {
    const own = hooks.filter((at) => nodes[at]?.owner === owner)
    for (const at of own) added.add(at)
    const cycle = firstCycle(own, step)
    if (cycle === null) continue
    for (const at of own) added.delete(at)
    yield [
      owner,
      cycleFault(
        point,
        cycle.flatMap((at) => nodes[at] ?? []),
      ),
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

const cycleFault = (point: string, cycle: readonly HookNode[]): Fault => {
  const first = cycle[0] as HookNode
  const other = cycle.find((node) => node.owner !== first.owner)?.owner
  const path = formatCycle(cycle.map(({ owner, hook }) => `${owner.id} (${hook.produces.join(', ')})`))
  return {
    code: 'REGISTRY_HOOK_CYCLE',
    reason:
      cycle.length === 1
        ? `its ${first.hook.kind} at ${point} consumes what it produces itself: ${first.hook.consumes.filter((name) => first.hook.produces.includes(name)).join(', ')}`
        : `at ${point} its ${first.hook.kind} closes a cycle of produces and consumes: ${path}`,
    pointer: first.hook.pointer,
    ...(other === undefined ? {} : { blocker: other }),
  }
}
