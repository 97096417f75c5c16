import { describe, expect, test } from 'vitest'
import { checkAddition, checkRemoval } from '../../src/registry/check-change.ts'
import type { ComposeInput } from '../../src/registry/compose.ts'
import { candidate, feature } from './manifests.ts'

const composeInput = (overlays: ComposeInput['overlays'], rest: Partial<ComposeInput> = {}): ComposeInput => ({
  firstParty: [candidate(feature('ui', { skills: ['ui-skill'] }), 'first-party')],
  overlays,
  ...rest,
})

const summarize = (diagnostics: readonly { severity: string; code: string; id?: string }[]): string[] =>
  diagnostics.map((it) => `${it.severity} ${it.code} ${it.id}`)

describe('checkAddition', () => {
  test('accepts a set that composes', () => {
    expect(
      checkAddition(
        composeInput([]),
        [candidate(feature('a')), candidate(feature('b', { requires: ['a'] }))],
        'global',
      ),
    ).toEqual([])
  })

  test.each([
    ['a taken id', feature('ui'), 'error REGISTRY_ID_COLLISION ui'],
    ['a taken skill', feature('a', { skills: ['ui-skill'] }), 'error REGISTRY_SKILL_COLLISION a'],
    ['a missing requirement', feature('a', { requires: ['b'] }), 'error REGISTRY_REQUIRES_MISSING a'],
  ])('refuses %s', (_what, manifest, expected) => {
    expect(summarize(checkAddition(composeInput([]), [candidate(manifest)], 'global'))).toEqual([expected])
  })

  test('checks a global addition without the project, and a project one with everything', () => {
    const overlays = [candidate(feature('p', { skills: ['s'] }), 'project'), candidate(feature('g', { skills: ['t'] }))]
    expect(checkAddition(composeInput(overlays), [candidate(feature('a', { skills: ['s'] }))], 'global')).toEqual([])
    expect(
      summarize(
        checkAddition(composeInput(overlays), [candidate(feature('a', { skills: ['s'] }), 'project')], 'project'),
      ),
    ).toEqual(['error REGISTRY_SKILL_COLLISION p'])
    expect(
      summarize(
        checkAddition(composeInput(overlays), [candidate(feature('a', { skills: ['t'] }), 'project')], 'project'),
      ),
    ).toEqual(['error REGISTRY_SKILL_COLLISION g'])
  })

  test('accepts a project capability that shadows a global one of the same id', () => {
    const findings = checkAddition(
      composeInput([candidate(feature('a'))]),
      [candidate(feature('a'), 'project')],
      'project',
    )
    expect(findings.filter((it) => it.severity === 'error')).toEqual([])
  })

  test('replaces the one of the same id and scope, and refuses a change that breaks its dependents', () => {
    const overlays = [
      candidate(feature('a', { commands: [{ family: 'fam', module: 'm.cjs', router: 'r' }] })),
      candidate(
        feature('b', {
          requires: ['a'],
          steps: [{ point: 'plan:pre', ref: { command: 'fam' }, produces: [], consumes: [], onError: 'skip' }],
        }),
      ),
    ]
    expect(
      checkAddition(
        composeInput(overlays),
        [candidate(feature('a', { commands: [{ family: 'fam', module: 'n.cjs', router: 'r' }] }))],
        'global',
      ),
    ).toEqual([])
    expect(summarize(checkAddition(composeInput(overlays), [candidate(feature('a'))], 'global'))).toEqual([
      'error REGISTRY_COMMAND_UNKNOWN b',
    ])
  })

  test('counts the addition as enabled and readable, whatever its predecessor was', () => {
    const rest = { disabled: new Map([['a', 'is disabled by you']]), absent: new Map([['b', 'is skipped']]) }
    expect(
      checkAddition(
        composeInput([], rest),
        [candidate(feature('a')), candidate(feature('b')), candidate(feature('c', { requires: ['a', 'b'] }))],
        'global',
      ),
    ).toEqual([])
  })
})

describe('checkRemoval', () => {
  const overlays = [
    candidate(feature('a')),
    candidate(feature('b', { requires: ['a'] })),
    candidate(feature('c', { requires: ['b'] })),
  ]

  test('names everything that requires the removed one, directly or not', () => {
    expect(summarize(checkRemoval(composeInput(overlays), ['a'], 'global'))).toEqual([
      'error REGISTRY_REQUIRED_BY b',
      'error REGISTRY_REQUIRED_BY c',
    ])
    expect(summarize(checkRemoval(composeInput(overlays), ['b'], 'global'))).toEqual(['error REGISTRY_REQUIRED_BY c'])
  })

  test('accepts the removal of all of them at once, or of one that nothing requires', () => {
    expect(checkRemoval(composeInput(overlays), ['a', 'b', 'c'], 'global')).toEqual([])
    expect(checkRemoval(composeInput(overlays), ['c'], 'global')).toEqual([])
  })

  test('accepts the removal of a project overlay if a global one of the same id replaces it', () => {
    const both = [
      candidate(feature('a')),
      candidate(feature('a'), 'project'),
      candidate(feature('b', { requires: ['a'] }), 'project'),
    ]
    expect(checkRemoval(composeInput(both), ['a'], 'project')).toEqual([])
  })
})
