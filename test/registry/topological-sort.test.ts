import { describe, expect, test } from 'vitest'
import { findCyclicGroups, findCycleThrough } from '../../src/registry/cycles.ts'
import { topologicalSort } from '../../src/registry/topological-sort.ts'
import { fc } from '../helpers/property.ts'

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const nodes = fc.array(
  fc.record({ produces: fc.uniqueArray(names, { maxLength: 2 }), consumes: fc.uniqueArray(names, { maxLength: 2 }) }),
  { maxLength: 12 },
)

describe('topological order', () => {
  test('is a permutation that puts producers first, if there is no cycle', () => {
    fc.assert(
      fc.property(nodes, (list) => {
        const order = topologicalSort(list)
        expect(order.toSorted((a, b) => a - b)).toEqual(list.map((_, at) => at))
        const edges = list.map((node) =>
          list.flatMap((other, to) => (other.consumes.some((it) => node.produces.includes(it)) ? [to] : [])),
        )
        if (findCyclicGroups(list.length, edges).length > 0) return
        const indexOf = new Map(order.map((node, at) => [node, at]))
        edges.forEach((targets, from) => {
          for (const to of targets) expect(indexOf.get(from)).toBeLessThan(indexOf.get(to) ?? -1)
        })
      }),
    )
  })

  test('is the order of the indices without any edge', () => {
    const free = Array.from({ length: 100 }, () => ({ produces: ['x'], consumes: ['y'] }))
    expect(topologicalSort(free)).toEqual(free.map((_, at) => at))
  })

  test('always picks the smallest free index', () => {
    expect(
      topologicalSort([
        { produces: [], consumes: ['c'] },
        { produces: ['b'], consumes: [] },
        { produces: ['c'], consumes: [] },
        { produces: [], consumes: ['b'] },
      ]),
    ).toEqual([1, 2, 0, 3])
  })
})

describe('cycles', () => {
  test('a group is the set of nodes that reach themselves', () => {
    const edges = fc
      .integer({ min: 1, max: 8 })
      .chain((count) =>
        fc.array(fc.uniqueArray(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
      )
    fc.assert(
      fc.property(edges, (graph) => {
        const inGroups = findCyclicGroups(graph.length, graph).flat()
        const onCycle = graph
          .map((_, at) => at)
          .filter((at) => findCycleThrough(at, (node) => graph[node] ?? []).length > 0)
        expect(inGroups.toSorted((a, b) => a - b)).toEqual(onCycle)
      }),
    )
  })

  test('a cycle is reported as the shortest path', () => {
    const graph = [[1, 2], [3], [0], [0]]
    expect(findCycleThrough(0, (node) => graph[node] ?? [])).toEqual([0, 2])
    expect(findCycleThrough(1, (node) => graph[node] ?? [])).toEqual([1, 3, 0])
  })
})
