import { describe, expect, test } from 'vitest'
import { POINTS } from '../../src/manifest/loop-contract.ts'
import { composeRegistry } from '../../src/registry/compose.ts'
import type { Attached } from '../../src/registry/registry.ts'
import { candidate, compose, contribution, feature, flag, step } from './manifests.ts'

const describeAttached = (attached: readonly Attached[] | undefined): string[] =>
  (attached ?? []).map((it) => {
    if (it.kind === 'contribution') return `${it.kind} ${it.capability} ${it.contribution.into} ${it.text}`
    return it.kind === 'step' ? `${it.kind} ${it.capability} ${it.step.produces.join()}` : `${it.kind} ${it.capability}`
  })

const gate = (point: string) => ({ point, check: { query: 'q' }, blocking: false, onError: 'skip' as const })

describe('the hooks at a point', () => {
  test('every point exists, also without hooks', () => {
    const { registry } = compose({})
    expect([...registry.byLoopPoint.keys()]).toEqual([...POINTS])
    expect(registry.byLoopPoint.get('execute:pre')).toEqual([])
  })

  test('steps come before contributions, contributions before gates', () => {
    const { registry } = compose({
      global: [
        feature('b', {
          gates: [gate('plan:pre')],
          contributions: [contribution('plan:pre', 'planner', 't')],
          steps: [step('plan:pre', ['B'])],
        }),
        feature('a', {
          gates: [gate('plan:pre')],
          contributions: [contribution('plan:pre', 'planner', 't')],
          steps: [step('plan:pre', ['A'])],
        }),
      ],
    })
    expect(describeAttached(registry.byLoopPoint.get('plan:pre'))).toEqual([
      'step a A',
      'step b B',
      'contribution a planner t',
      'contribution b planner t',
      'gate a',
      'gate b',
    ])
  })

  test('a step runs after the producers of its input; among the free ones the smaller id, then declaration, goes first', () => {
    const { registry } = compose({
      global: [
        feature('a', { steps: [step('plan:pre', ['A'], ['Z'])] }),
        feature('b', { steps: [step('plan:pre', ['B2']), step('plan:pre', ['B1'])] }),
        feature('z', { steps: [step('plan:pre', ['Z'], ['B1'])] }),
        feature('c', { steps: [step('plan:pre', ['C'])] }),
      ],
    })
    expect(describeAttached(registry.byLoopPoint.get('plan:pre'))).toEqual([
      'step b B2',
      'step b B1',
      'step c C',
      'step z Z',
      'step a A',
    ])
  })

  test('contributions are grouped by role in the order of the host, and ordered within a role like steps', () => {
    const { registry } = compose({
      global: [
        feature('a', {
          contributions: [
            contribution('plan:pre', 'checker', '1'),
            contribution('plan:pre', 'planner', '2', [], ['N']),
          ],
        }),
        feature('b', {
          contributions: [contribution('plan:pre', 'planner', '3', ['N']), contribution('plan:pre', 'researcher', '4')],
        }),
      ],
    })
    expect(describeAttached(registry.byLoopPoint.get('plan:pre'))).toEqual([
      'contribution b researcher 4',
      'contribution b planner 3',
      'contribution a planner 2',
      'contribution a checker 1',
    ])
  })

  test('a fragment by path is the text that was read for it, by its own name only', () => {
    const manifest = feature('a', {
      contributions: [{ ...contribution('plan:pre', 'planner', ''), fragment: { path: 'constructor' } }],
    })
    const withText = composeRegistry({
      firstParty: [],
      overlays: [{ ...candidate(manifest), fragments: { constructor: 'text' } }],
    })
    expect(describeAttached(withText.registry.byLoopPoint.get('plan:pre'))).toEqual(['contribution a planner text'])
    const without = composeRegistry({ firstParty: [], overlays: [candidate(manifest)] })
    expect(describeAttached(without.registry.byLoopPoint.get('plan:pre'))).toEqual(['contribution a planner '])
  })
})

describe('views by name', () => {
  test('name the owner of each name', () => {
    const { registry } = compose({
      firstParty: [{ ...feature('claude'), role: 'runtime', runtime: {} } as never],
      global: [
        feature('a', {
          skills: ['s'],
          agents: ['g'],
          config: { 'a.on': flag() },
          commands: [{ family: 'fam', module: 'm.cjs', router: 'r' }],
        }),
      ],
    })
    expect([...registry.bySkill]).toEqual([['s', 'a']])
    expect([...registry.byAgent]).toEqual([['g', 'a']])
    expect(registry.configKeys.get('a.on')).toEqual({ ...flag(), owner: 'a' })
    expect(registry.commandFamilies.get('fam')).toMatchObject({ owner: 'a', module: 'm.cjs' })
    expect([...registry.runtimes.keys()]).toEqual(['claude'])
    expect([...registry.capabilities.keys()]).toEqual(['claude', 'a'])
  })

  test('closure lists requirements first, each once; of an unknown id nothing', () => {
    const { registry } = compose({
      global: [
        feature('d', { requires: ['b', 'c'] }),
        feature('b', { requires: ['a'] }),
        feature('c', { requires: ['a'] }),
        feature('a'),
      ],
    })
    expect(registry.requiresClosure('d')).toEqual(['a', 'b', 'c', 'd'])
    expect(registry.requiresClosure('a')).toEqual(['a'])
    expect(registry.requiresClosure('constructor')).toEqual([])
  })

  test('a profile is its tier and the tiers below', () => {
    const { registry } = compose({
      global: [
        feature('f', { tier: 'full', requires: ['c'] }),
        feature('s', { tier: 'standard' }),
        feature('c', { tier: 'core' }),
      ],
    })
    expect(registry.profile('core')).toEqual(['c'])
    expect(registry.profile('standard')).toEqual(['c', 's'])
    expect(registry.profile('full')).toEqual(['c', 'f', 's'])
  })

  test('a chain of ten thousand requirements does not overflow the stack', () => {
    const length = 10_000
    const chain = Array.from({ length }, (_, at) =>
      feature(`c${at}`, at + 1 < length ? { requires: [`c${at + 1}`] } : {}),
    )
    const { registry, warnings } = compose({ global: chain })
    expect(warnings).toEqual([])
    expect(registry.requiresClosure('c0')).toHaveLength(length)
  })

  test('a cycle of ten thousand requirements is found and shown abbreviated', () => {
    const length = 10_000
    const ring = Array.from({ length }, (_, at) => feature(`c${at}`, { requires: [`c${(at + 1) % length}`] }))
    const { rows, registry } = compose({ global: ring })
    expect(registry.capabilities.size).toBe(0)
    expect(rows[0]).toMatchObject({ code: 'REGISTRY_REQUIRES_CYCLE' })
    expect(rows[0]?.reason?.length).toBeLessThan(300)
  })
})
