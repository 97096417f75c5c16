import { describe, expect, test } from 'vitest'
import { validateCrossCapability } from '../../src/registry/validate-cross-capability.ts'
import { feature, flag, step } from './manifests.ts'

const codes = (manifests: unknown, options = {}) =>
  validateCrossCapability(manifests, options).map((it) => `${it.index} ${it.severity} ${it.code}`)

describe('validateCrossCapability', () => {
  test('reports nothing for a set that composes', () => {
    expect(codes([feature('a', { skills: ['s'] }), feature('b', { requires: ['a'] })])).toEqual([])
  })

  test('reports every fault of every manifest at once, and blames the later of two', () => {
    const first = feature('a', { skills: ['s'], config: { 'x.y': flag() }, tier: 'full' })
    const second = feature('b', {
      skills: ['s'],
      config: { 'x.y': flag(), mode: flag() },
      tier: 'core',
      requires: ['a'],
      steps: [step('plan:pre', ['X'], ['Y'])],
    })
    expect(codes([first, second, feature('a')])).toEqual([
      '1 error REGISTRY_SKILL_COLLISION',
      '1 error REGISTRY_CONFIG_COLLISION',
      '1 error REGISTRY_CONFIG_CENTRAL',
      '1 error REGISTRY_REQUIRES_TIER',
      '1 error REGISTRY_CONSUMES_UNSATISFIED',
      '2 error REGISTRY_ID_COLLISION',
    ])
  })

  test('validates against an existing first-party set', () => {
    expect(
      codes([feature('ui'), feature('x', { skills: ['s'] })], {
        firstParty: [feature('ui'), feature('f', { skills: ['s'] })],
      }),
    ).toEqual(['0 error REGISTRY_ID_COLLISION', '1 error REGISTRY_SKILL_COLLISION'])
  })

  test('a missing requirement is a warning, and names that it might provide cause no error', () => {
    const list = [
      feature('a', {
        requires: ['b'],
        steps: [step('plan:pre', [], ['X']), { ...step('plan:pre', []), ref: { command: 'far away' } }],
      }),
      feature('b', { requires: ['elsewhere'] }),
    ]
    expect(codes(list)).toEqual(['1 warning REGISTRY_REQUIRES_MISSING'])
  })

  test('prints a cycle of requirements', () => {
    const found = validateCrossCapability([feature('a', { requires: ['b'] }), feature('b', { requires: ['a'] })])
    expect(found.map((it) => it.message)).toEqual([
      '"a": its requirements form a cycle: a → b → a',
      '"b": its requirements form a cycle: a → b → a',
    ])
  })

  test('identifies a value that is not a manifest by its index', () => {
    expect(codes([null, 1, [], {}, feature('a')])).toEqual(
      [0, 1, 2, 3].map((at) => `${at} error REGISTRY_NOT_A_MANIFEST`),
    )
    expect(codes('x')).toEqual(['0 error REGISTRY_NOT_A_MANIFEST'])
  })

  test('points to the member at fault, after members of the wrong type', () => {
    const [finding] = validateCrossCapability([feature('a', { skills: ['s'] }), { id: 'b', skills: [7, null, 's'] }])
    expect(finding?.path).toBe('/skills/2')
  })
})
