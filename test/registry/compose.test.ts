import { describe, expect, test } from 'vitest'
import type { CommandFamily, Reviewer, ReviewerManifest } from '../../src/manifest/manifest.ts'
import { compose, contribution, feature, flag, statuses, step } from './manifests.ts'

const family = (name: string, subcommands?: readonly string[]): CommandFamily => ({
  family: name,
  module: 'router.cjs',
  router: 'route',
  ...(subcommands === undefined ? {} : { subcommands }),
})

const lane = (id: string, slug: string, flags: readonly string[], reviewsSection: string): ReviewerManifest => {
  const { role: _role, ...envelope } = feature(id)
  return {
    ...envelope,
    role: 'reviewer',
    reviewer: { slug, flags, reviewsSection, transport: 'spawn' } as unknown as Reviewer,
  }
}

const featureUsingCommand = (command: string, requires: readonly string[]) =>
  feature('user', { requires, steps: [{ ...step('plan:pre', []), ref: { command } }] })

describe('rule 43: exactly one owner', () => {
  test('an overlay with the id of a first-party capability is skipped', () => {
    const composed = compose({ firstParty: [feature('ui')], project: [feature('ui')], global: [feature('ui')] })
    expect(statuses(composed)).toEqual({
      'ui/first-party': 'active',
      'ui/project': 'collision REGISTRY_ID_COLLISION',
      'ui/global': 'collision REGISTRY_ID_COLLISION',
    })
    expect(composed.warnings[0]).toMatchObject({ severity: 'warning', id: 'ui', scope: 'project', path: '/id' })
    expect(composed.warnings[0]?.message).toBe('"ui" (project) is skipped: its id belongs to "ui" (first-party)')
  })

  test('the id of a first-party capability stays taken when it is disabled', () => {
    const composed = compose(
      { firstParty: [feature('ui')], global: [feature('ui')] },
      { disabled: new Map([['ui', 'is disabled by you']]) },
    )
    expect(statuses(composed)).toEqual({
      'ui/first-party': 'disabled OVERLAY_DISABLED',
      'ui/global': 'collision REGISTRY_ID_COLLISION',
    })
  })

  test.each([
    ['a skill', { skills: ['x'] }, 'REGISTRY_SKILL_COLLISION', '/skills/0'],
    ['an agent', { agents: ['x'] }, 'REGISTRY_AGENT_COLLISION', '/agents/0'],
    ['a config key', { config: { 'x.y': flag() } }, 'REGISTRY_CONFIG_COLLISION', '/config/x.y'],
    ['a command family', { commands: [family('x')] }, 'REGISTRY_COMMAND_COLLISION', '/commands/0/family'],
    [
      'an artefact at a point',
      { steps: [step('plan:pre', ['X.md'])] },
      'REGISTRY_ARTEFACT_COLLISION',
      '/steps/0/produces',
    ],
  ])('%s has one owner, and the message names both sides', (_what, declared, code, path) => {
    const composed = compose({ project: [feature('zed', declared)], global: [feature('abc', declared)] })
    expect(statuses(composed)).toEqual({ 'zed/project': 'active', 'abc/global': `collision ${code}` })
    expect(composed.warnings).toHaveLength(1)
    expect(composed.warnings[0]).toMatchObject({ code, path, id: 'abc', scope: 'global' })
    expect(composed.warnings[0]?.message).toContain('"abc" (global)')
    expect(composed.warnings[0]?.message).toContain('"zed" (project)')
    expect(composed.warnings[0]?.hint).toBe('gsd capability remove abc --scope global')
  })

  test.each([
    ['slug', lane('abc', 's', ['--a'], 'A'), 'REGISTRY_LANE_SLUG_COLLISION'],
    ['flag', lane('abc', 'a', ['--a', '--z2'], 'A'), 'REGISTRY_LANE_FLAG_COLLISION'],
    ['section', lane('abc', 'a', ['--a'], 'Z'), 'REGISTRY_LANE_SECTION_COLLISION'],
  ])('a lane %s has one owner', (_what, manifest, code) => {
    const composed = compose({ firstParty: [lane('zed', 's', ['--z', '--z2'], 'Z')], global: [manifest] })
    expect(statuses(composed)['abc/global']).toBe(`collision ${code}`)
  })

  test('a skill and an agent may share a name', () => {
    const composed = compose({ global: [feature('a', { skills: ['x'] }), feature('b', { agents: ['x'] })] })
    expect(composed.warnings).toEqual([])
  })

  test.each([
    ['below', 'x.y.z'],
    ['above', 'x'],
  ])('a config key %s the key of another capability collides with it', (_where, key) => {
    const composed = compose({
      firstParty: [feature('zed', { config: { 'x.y': flag() } })],
      global: [feature('abc', { config: { [key]: flag() } })],
    })
    expect(statuses(composed)['abc/global']).toBe('collision REGISTRY_CONFIG_COLLISION')
    expect(composed.warnings[0]?.message).toContain(`"${key}" and "x.y" of "zed" (first-party)`)
  })

  test('a config key that shares only a string prefix with another one does not collide', () => {
    const composed = compose({
      global: [
        feature('a', { config: { 'x.y': flag() } }),
        feature('b', { config: { 'x.yz': flag(), 'x.z': flag() } }),
      ],
    })
    expect(composed.warnings).toEqual([])
  })

  test.each(['mode', 'workflow._auto_chain_active', 'features.anything', 'git', 'review.reviewer_instances'])(
    'the config key %s, which is central or would contain central keys, is refused',
    (key) => {
      const composed = compose({ global: [feature('a', { config: { [key]: flag() } })] })
      expect(statuses(composed)).toEqual({ 'a/global': 'collision REGISTRY_CONFIG_CENTRAL' })
    },
  )

  test('a central key may be the parent of a declared key', () => {
    const composed = compose({
      global: [feature('a', { config: { 'review.max_prompt_tokens_per_reviewer.a': flag() } })],
    })
    expect(composed.warnings).toEqual([])
  })

  test('a project overlay shadows the global one of the same id, as information', () => {
    const composed = compose({ project: [feature('a', { skills: ['s'] })], global: [feature('a', { skills: ['s'] })] })
    expect(statuses(composed)).toEqual({ 'a/project': 'active', 'a/global': 'shadowed REGISTRY_SHADOWED' })
    expect(composed.warnings).toMatchObject([{ code: 'REGISTRY_SHADOWED', severity: 'info', id: 'a', scope: 'global' }])
    expect(composed.registry.capabilities.get('a')?.origin).toBe('project')
  })

  test('a skipped project overlay does not shadow', () => {
    const composed = compose({ project: [feature('a', { requires: ['nowhere'] })], global: [feature('a')] })
    expect(statuses(composed)).toEqual({ 'a/project': 'blocked REGISTRY_REQUIRES_MISSING', 'a/global': 'active' })
  })

  test('names of members of Object.prototype are ordinary names', () => {
    const composed = compose({ global: [feature('a', { skills: ['constructor'], requires: ['toString'] })] })
    expect(statuses(composed)).toEqual({ 'a/global': 'blocked REGISTRY_REQUIRES_MISSING' })
    expect(compose({}).registry.bySkill.get('constructor')).toBeUndefined()
  })
})

describe('rule 44: requires', () => {
  test('a missing requirement blocks, and the hint says what to install', () => {
    const composed = compose({ global: [feature('a', { requires: ['b'] })] })
    expect(statuses(composed)).toEqual({ 'a/global': 'blocked REGISTRY_REQUIRES_MISSING' })
    expect(composed.warnings[0]?.message).toBe('"a" (global) is skipped: it requires "b", which is not installed')
    expect(composed.warnings[0]?.hint).toContain('gsd capability install')
  })

  test('everything that requires a skipped one is skipped, and the message shows the chain', () => {
    const composed = compose({
      firstParty: [feature('first', { skills: ['s'] })],
      global: [feature('z', { skills: ['s'] }), feature('a', { requires: ['m'] }), feature('m', { requires: ['z'] })],
    })
    expect(statuses(composed)).toEqual({
      'first/first-party': 'active',
      'a/global': 'blocked REGISTRY_REQUIRES_SKIPPED',
      'm/global': 'blocked REGISTRY_REQUIRES_SKIPPED',
      'z/global': 'collision REGISTRY_SKILL_COLLISION',
    })
    expect(composed.rows.find((row) => row.id === 'a')?.reason).toBe(
      'it requires "m", which requires "z", which is skipped: its skill "s" belongs to "first" (first-party)',
    )
  })

  test('a long chain is shown by its first members and its root', () => {
    const chain = Array.from({ length: 30 }, (_, at) => feature(`c${at}`, { requires: [`c${at + 1}`] }))
    const reason = compose({ global: chain }).rows.find((row) => row.id === 'c0')?.reason ?? ''
    expect(reason).toContain('"c1", which requires "c2"')
    expect(reason).toContain('24 more, which is not installed')
    expect(reason.length).toBeLessThan(250)
  })

  test.each([
    ['disabled', { disabled: new Map([['b', 'is disabled by you']]) }, 'is disabled by you'],
    ['unusable on disk', { absent: new Map([['b', 'is not trusted here']]) }, 'is not trusted here'],
  ])('a requirement that is %s is reported as that', (_what, rest, clause) => {
    const composed = compose(
      { global: [feature('a', { requires: ['b'] }), feature('b')].slice(0, 'disabled' in rest ? 2 : 1) },
      rest,
    )
    expect(statuses(composed)['a/global']).toBe('blocked REGISTRY_REQUIRES_SKIPPED')
    expect(composed.warnings[0]?.message).toContain(`it requires "b", which ${clause}`)
  })

  test('a cycle is printed and skips its members and whatever requires them', () => {
    const composed = compose({
      global: [
        feature('c', { requires: ['b'] }),
        feature('b', { requires: ['a'] }),
        feature('a', { requires: ['c'] }),
        feature('d', { requires: ['a'] }),
        feature('e'),
      ],
    })
    expect(statuses(composed)).toEqual({
      'a/global': 'blocked REGISTRY_REQUIRES_CYCLE',
      'b/global': 'blocked REGISTRY_REQUIRES_CYCLE',
      'c/global': 'blocked REGISTRY_REQUIRES_CYCLE',
      'd/global': 'blocked REGISTRY_REQUIRES_SKIPPED',
      'e/global': 'active',
    })
    expect(composed.rows.find((row) => row.id === 'b')?.reason).toContain('a → c → b → a')
  })

  test.each([
    ['has to go', { steps: [step('plan:pre', [], ['NOWHERE'])] }],
    ['loses a collision', { skills: ['taken'] }],
  ])('a cycle of global overlays is found even when the project overlay that hid it %s', (_what, declared) => {
    const composed = compose({
      firstParty: [feature('first', { skills: ['taken'] })],
      project: [feature('a', declared)],
      global: [feature('a', { requires: ['b'] }), feature('b', { requires: ['a'] })],
    })
    expect(statuses(composed)).toMatchObject({
      'a/global': 'blocked REGISTRY_REQUIRES_CYCLE',
      'b/global': 'blocked REGISTRY_REQUIRES_CYCLE',
    })
  })

  test('a project overlay that closes a cycle only by shadowing is replaced by the global one', () => {
    const composed = compose({
      project: [feature('a', { requires: ['b'] })],
      global: [feature('a'), feature('b', { requires: ['a'] })],
    })
    expect(statuses(composed)).toEqual({
      'a/project': 'blocked REGISTRY_REQUIRES_CYCLE',
      'a/global': 'active',
      'b/global': 'active',
    })
  })

  test.each([
    ['core', 'standard'],
    ['core', 'full'],
    ['standard', 'full'],
  ] as const)('a %s capability cannot require a %s one', (low, high) => {
    const composed = compose({ global: [feature('a', { tier: low, requires: ['b'] }), feature('b', { tier: high })] })
    expect(statuses(composed)).toEqual({ 'a/global': 'blocked REGISTRY_REQUIRES_TIER', 'b/global': 'active' })
    expect(composed.warnings[0]?.message).toContain(
      `it has the tier ${low} and requires "b" (global) of the higher tier ${high}`,
    )
    const upwards = compose({ global: [feature('a', { tier: high, requires: ['b'] }), feature('b', { tier: low })] })
    expect(upwards.warnings).toEqual([])
  })

  test('a first-party capability never requires an overlay', () => {
    const composed = compose({ firstParty: [feature('a', { requires: ['b'] })], global: [feature('b')] })
    expect(statuses(composed)).toEqual({ 'a/first-party': 'blocked REGISTRY_REQUIRES_MISSING', 'b/global': 'active' })
  })
})

describe('order of acceptance', () => {
  test('a project overlay wins a collision although it waits for a global requirement', () => {
    const composed = compose({
      project: [feature('p', { requires: ['z'], skills: ['s'] })],
      global: [feature('a', { skills: ['s'] }), feature('z')],
    })
    expect(statuses(composed)).toEqual({
      'p/project': 'active',
      'a/global': 'collision REGISTRY_SKILL_COLLISION',
      'z/global': 'active',
    })
  })

  test('of two global overlays the requirement wins against its dependent', () => {
    const composed = compose({
      global: [feature('a', { requires: ['z'], skills: ['s'] }), feature('z', { skills: ['s'] })],
    })
    expect(statuses(composed)).toEqual({ 'a/global': 'collision REGISTRY_SKILL_COLLISION', 'z/global': 'active' })
  })

  test('a project overlay that collides with its own global requirement loses only itself', () => {
    const composed = compose({
      project: [feature('p', { requires: ['g'], skills: ['s'] })],
      global: [feature('g', { skills: ['s'] })],
    })
    expect(statuses(composed)).toEqual({ 'p/project': 'blocked REGISTRY_REQUIRES_SKIPPED', 'g/global': 'active' })
  })

  test('an overlay that lost a collision to a capability that is skipped later is active after all', () => {
    const composed = compose({
      project: [feature('p', { skills: ['s'], requires: ['g'] })],
      global: [feature('g', { skills: ['t'] }), feature('h', { skills: ['s'] })],
      firstParty: [feature('f', { skills: ['t'] })],
    })
    expect(statuses(composed)).toMatchObject({
      'p/project': 'blocked REGISTRY_REQUIRES_SKIPPED',
      'g/global': 'collision REGISTRY_SKILL_COLLISION',
      'h/global': 'active',
    })
  })

  test('two pairs that exclude each other in a ring terminate, with the same result each time', () => {
    const ring = {
      project: [feature('p', { requires: ['g'], skills: ['ph'] }), feature('q', { requires: ['h'], skills: ['qg'] })],
      global: [feature('g', { skills: ['qg'] }), feature('h', { skills: ['ph'] })],
    }
    const composed = compose(ring)
    expect(statuses(composed)).toMatchObject({ 'g/global': 'active', 'h/global': 'active' })
    expect(statuses(compose({ project: ring.project.toReversed(), global: ring.global.toReversed() }))).toEqual(
      statuses(composed),
    )
  })
})

describe('rules 45 and 46: artefacts', () => {
  test('two steps of one capability cannot produce the same artefact at one point', () => {
    const composed = compose({
      global: [feature('a', { steps: [step('plan:pre', ['X.md']), step('plan:pre', ['X.md'])] })],
    })
    expect(statuses(composed)).toEqual({ 'a/global': 'collision REGISTRY_ARTEFACT_COLLISION' })
    expect(composed.warnings[0]?.path).toBe('/steps/1/produces')
  })

  test('the same artefact at two points is accepted', () => {
    const composed = compose({
      global: [
        feature('a', { steps: [step('plan:pre', ['X.md'])] }),
        feature('b', { steps: [step('plan:post', ['X.md'])] }),
      ],
    })
    expect(composed.warnings).toEqual([])
  })

  test.each([
    ['CONTEXT.md', 'discuss:pre', false],
    ['CONTEXT.md', 'discuss:post', true],
    ['PLAN.md', 'plan:pre', false],
    ['PLAN.md', 'plan:post', true],
    ['SUMMARY.md', 'execute:wave:post', false],
    ['SUMMARY.md', 'execute:post', true],
    ['UAT.md', 'verify:pre', false],
    ['UAT.md', 'verify:post', true],
    ['OTHER.md', 'ship:post', false],
  ])('%s consumed at %s: %s', (artefact, point, available) => {
    const composed = compose({ global: [feature('a', { steps: [step(point, [], [artefact])] })] })
    expect(statuses(composed)).toEqual({ 'a/global': available ? 'active' : 'blocked REGISTRY_CONSUMES_UNSATISFIED' })
  })

  test.each([
    ['an earlier point', 'plan:pre', true],
    ['the same point', 'plan:post', true],
    ['a later point', 'execute:pre', false],
  ])('an artefact that another capability produces at %s is available', (_where, point, counts) => {
    const composed = compose({
      project: [feature('a', { steps: [step('plan:post', [], ['X.md'])] })],
      global: [feature('b', { steps: [step(point, ['X.md'])] })],
    })
    expect(statuses(composed)['a/project']).toBe(counts ? 'active' : 'blocked REGISTRY_CONSUMES_UNSATISFIED')
  })

  test('an artefact of a contribution is available, and what it consumes is not required', () => {
    const composed = compose({
      global: [
        feature('a', { steps: [step('plan:post', [], ['X.md'])] }),
        feature('b', { contributions: [contribution('plan:pre', 'planner', 'text', ['X.md'], ['NOWHERE.md'])] }),
      ],
    })
    expect(composed.warnings).toEqual([])
  })

  test('two capabilities that supply each other at different points compose', () => {
    const composed = compose({
      global: [
        feature('a', { steps: [step('plan:pre', ['A.md']), step('execute:pre', [], ['B.md'])] }),
        feature('b', { steps: [step('plan:post', ['B.md'], ['A.md'])] }),
      ],
    })
    expect(composed.warnings).toEqual([])
  })

  test('when the only producer is skipped, the message names it', () => {
    const composed = compose({
      global: [
        feature('a', { steps: [step('plan:post', [], ['X.md'])] }),
        feature('b', { requires: ['nowhere'], steps: [step('plan:pre', ['X.md'])] }),
      ],
    })
    expect(statuses(composed)['a/global']).toBe('blocked REGISTRY_CONSUMES_UNSATISFIED')
    expect(composed.warnings.find((it) => it.id === 'a')?.message).toContain('("b" (global) would, but is skipped)')
  })

  test('a hook that consumes its own product is a cycle with itself', () => {
    const composed = compose({ global: [feature('a', { steps: [step('plan:post', ['X.md'], ['X.md'])] })] })
    expect(statuses(composed)).toEqual({ 'a/global': 'blocked REGISTRY_HOOK_CYCLE' })
  })

  test('a cycle at a point skips the capability that closes it, and names its members', () => {
    const composed = compose({
      firstParty: [feature('f', { steps: [step('plan:pre', ['A.md'], ['CONTEXT.md'])] })],
      global: [
        feature('a', { steps: [step('plan:pre', ['CONTEXT.md'], ['A.md'])] }),
        feature('b', { steps: [step('plan:pre', [], ['A.md'])] }),
      ],
    })
    expect(statuses(composed)).toEqual({
      'f/first-party': 'active',
      'a/global': 'blocked REGISTRY_HOOK_CYCLE',
      'b/global': 'active',
    })
    expect(composed.warnings[0]?.message).toContain('a (CONTEXT.md) → f (A.md) → a (CONTEXT.md)')
  })

  test('the same names at different points are no cycle', () => {
    const composed = compose({
      global: [
        feature('a', { steps: [step('plan:pre', ['A.md'], ['CONTEXT.md'])] }),
        feature('b', { steps: [step('plan:post', ['CONTEXT.md'], ['A.md'])] }),
      ],
    })
    expect(composed.warnings).toEqual([])
  })
})

describe('rule 18: commands of others', () => {
  const owner = feature('owner', { commands: [family('intel', ['scan', 'show'])] })
  const between = feature('between', { requires: ['owner'] })

  test.each([
    ['intel scan', ['owner']],
    ['intel show', ['between']],
    ['intel', ['owner']],
  ])('%s is known when %s is required', (command, requires) => {
    expect(compose({ global: [featureUsingCommand(command, requires), owner, between] }).warnings).toEqual([])
  })

  test.each([
    ['intel scan', [], 'does not require'],
    ['intel drop', ['owner'], 'has only "scan", "show"'],
    ['other', ['owner'], 'no capability has'],
  ])('%s with requires %j is refused', (command, requires, text) => {
    const composed = compose({ global: [featureUsingCommand(command, requires), owner, between] })
    expect(statuses(composed)['user/global']).toBe('blocked REGISTRY_COMMAND_UNKNOWN')
    expect(composed.warnings[0]?.message).toContain(text)
  })
})

describe('rule 47: runtimes', () => {
  const compat = feature('a', {
    runtimeCompat: { supported: ['known', 'strange'], unsupported: ['odd'], notes: { '*': 'n', rare: 'n' } },
  })

  test('unknown runtime names are one warning, and the capability stays', () => {
    const composed = compose({ global: [compat] }, { runtimes: ['known'] })
    expect(statuses(composed)).toEqual({ 'a/global': 'active' })
    expect(composed.warnings).toMatchObject([
      { code: 'REGISTRY_UNKNOWN_RUNTIME', severity: 'warning', path: '/runtimeCompat/supported/1' },
    ])
    expect(composed.warnings[0]?.message).toContain('"strange", "odd", "rare"')
  })

  test('without any known runtime there is no warning', () => {
    expect(compose({ global: [compat] }).warnings).toEqual([])
  })
})

describe('disabled capabilities', () => {
  test('are not part of the set, and their names are free', () => {
    const composed = compose(
      {
        firstParty: [feature('f', { skills: ['s'] })],
        project: [feature('p')],
        global: [feature('g', { skills: ['s'] }), feature('p')],
      },
      {
        disabled: new Map([
          ['f', 'is disabled by you'],
          ['p', 'is disabled in this project'],
        ]),
      },
    )
    expect(statuses(composed)).toEqual({
      'f/first-party': 'disabled OVERLAY_DISABLED',
      'p/project': 'disabled OVERLAY_DISABLED',
      'g/global': 'active',
      'p/global': 'disabled OVERLAY_DISABLED',
    })
    expect(composed.rows.find((row) => row.id === 'p')?.reason).toBe('it is disabled in this project')
    expect([...composed.registry.capabilities.keys()]).toEqual(['g'])
  })
})
