import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import { breakCycles } from '../../src/registry/break-cycles.ts'
import { findCyclicGroups } from '../../src/registry/cycles.ts'
import { compose, contribution, feature } from './manifests.ts'

const MANY = 10_000
const id = (at: number): string => `c${String(at).padStart(5, '0')}`

/** Contributions do not need what they consume, so only those go that close a cycle. */
const link = (at: number, produces: readonly string[], consumes: readonly string[]): FeatureManifest =>
  feature(id(at), { contributions: [contribution('plan:pre', 'planner', 'x', produces, consumes)] })

const skipped = (all: readonly FeatureManifest[], firstParty: readonly FeatureManifest[] = []): readonly string[] =>
  compose({ firstParty, global: all }).rows.flatMap(({ status, id: each }) => (status === 'active' ? [] : [each]))

describe('a set of ten thousand', () => {
  it('whose requirements form one ring loses the ring, and says so', () => {
    const all = Array.from({ length: MANY }, (_, at) => feature(id(at), { requires: [id((at + 1) % MANY)] }))
    const { rows, warnings } = compose({ global: all })
    expect(rows.every(({ code }) => code === 'REGISTRY_REQUIRES_CYCLE')).toBe(true)
    expect(warnings[0]?.message).toContain('c00000 → c00001')
  })

  it.each([
    ['in the order of ids', 1],
    ['against it', MANY - 1],
  ])('that is one cycle of artefacts %s loses one member, which is named', (_title, step) => {
    const all = Array.from({ length: MANY }, (_, at) => link(at, [`${at}.md`], [`${(at + step) % MANY}.md`]))
    expect(skipped(all)).toEqual([id(MANY - 1)])
  })

  it('that all lean on one hub loses the hub alone', () => {
    const all = Array.from({ length: MANY }, (_, at) =>
      at === 0
        ? link(
            0,
            ['hub.md'],
            Array.from({ length: MANY - 1 }, (_, other) => `${other + 1}.md`),
          )
        : link(at, [`${at}.md`], ['hub.md']),
    )
    expect(skipped(all)).toEqual([id(0)])
  })

  it('of which each waits for itself loses all', () => {
    expect(skipped(Array.from({ length: MANY }, (_, at) => link(at, ['all.md'], ['all.md'])))).toHaveLength(MANY)
  })

  it('that is a ladder of small cycles is broken, too', () => {
    const all = Array.from({ length: MANY }, (_, at) => link(at, [`${at}.md`], [`${at - 1}.md`, `${at + 1}.md`]))
    expect(skipped(all).length).toBeLessThanOrEqual(MANY * 0.75)
  })
})

describe('a small cycle', () => {
  const pair = (first: number, second: number): readonly FeatureManifest[] => [
    link(first, ['a.md'], ['b.md']),
    link(second, ['b.md'], ['a.md']),
  ]

  it('costs the later one of two', () => {
    expect(skipped(pair(1, 2))).toEqual([id(2)])
  })

  it('never costs a first-party capability where an overlay closes it', () => {
    const [firstParty, overlay] = pair(2, 1)
    expect(skipped([overlay as FeatureManifest], [firstParty as FeatureManifest])).toEqual([id(1)])
  })

  it('of a middle one with two others costs the middle one, whatever the ids', () => {
    for (const [middle, left, right] of [
      [1, 2, 3],
      [2, 1, 3],
      [3, 1, 2],
    ] as const) {
      const all = [
        link(middle, ['m.md'], ['l.md', 'r.md']),
        link(left, ['l.md'], ['m.md']),
        link(right, ['r.md'], ['m.md']),
      ]
      expect(skipped(all)).toEqual([id(middle)])
    }
  })
})

it('whatever the graph, nothing cyclic is left, and fixed owners stay', () => {
  const graph = fc.integer({ min: 1, max: 14 }).chain((count) =>
    fc.record({
      edges: fc.array(fc.uniqueArray(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }),
      fixed: fc.nat(3),
    }),
  )
  fc.assert(
    fc.property(graph, ({ edges, fixed }) => {
      // Edges between fixed owners alone could not be broken.
      const isFixed = (owner: number): boolean => owner < fixed
      const allowed = edges.map((targets, node) => targets.filter((to) => !(isFixed(node) && isFixed(to))))
      const owned = { edges: allowed, ownerOf: (node: number) => node, isFixed }
      for (const group of findCyclicGroups(allowed.length, allowed)) {
        const gone = breakCycles(owned, group)
        expect([...gone].filter(isFixed)).toEqual([])
        const left = allowed.map((targets, node) =>
          group.includes(node) && !gone.has(node) ? targets.filter((to) => group.includes(to) && !gone.has(to)) : [],
        )
        expect(findCyclicGroups(left.length, left)).toEqual([])
      }
    }),
    { seed: 11, numRuns: 1000 },
  )
})
