import { describe, expect, it } from 'vitest'
import { capabilityState, resolveLoopHooks } from '../../src/loop.ts'
import { writeBundle, writeFileIn, writeLedger } from '../overlay/test-machine.ts'
import { contribution, feature, flag, step } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()
const HOOK = { contributions: [contribution('plan:pre', 'planner', 'text')] }

const stateOf = async (id: string, options: { runtime?: string } = {}) => {
  const { capabilities } = capabilityState(await loop.load(), { ...loop.options, ...options, id })
  return capabilities[0]
}

describe('the chain', () => {
  it('is whole for a capability that nothing stops', async () => {
    loop.global(feature('a', HOOK))
    expect(await stateOf('a')).toMatchObject({
      installed: true,
      consented: true,
      enabled: true,
      compatible: true,
      active: true,
      reason: null,
      hooks: [{ point: 'plan:pre', kind: 'contribution', configured: true, active: true, reason: null }],
    })
  })

  it('breaks at installed where the folder is gone', async () => {
    writeLedger(loop.home, ['a'])
    expect(await stateOf('a')).toMatchObject({ installed: false, active: false, reason: /folder is gone/ })
  })

  it('breaks at consented where a project brings a capability that nobody agreed to, and still shows its hooks', async () => {
    writeBundle(loop.project, feature('a', HOOK))
    expect(await stateOf('a')).toMatchObject({
      consented: false,
      active: false,
      reason: /never trusted here/,
      hooks: [{ configured: true, active: false, reason: /never trusted here/ }],
    })
  })

  it('breaks at enabled where it is switched off', async () => {
    loop.global(feature('a', HOOK))
    writeFileIn(`${loop.home}/.gsd/state.json`, JSON.stringify({ schema: 1, capabilities: { a: 'disabled' } }))
    expect(await stateOf('a')).toMatchObject({
      enabled: false,
      active: false,
      reason: /disabled/,
      hooks: [{ active: false }],
    })
  })

  it('breaks at engines where it needs another version', async () => {
    loop.global(feature('a', { ...HOOK, engines: { gsd: '>=9.0.0' } }))
    expect(await stateOf('a')).toMatchObject({ compatible: false, active: false, reason: /9\.0\.0/ })
  })

  it.each([
    ['is not among the supported ones', { supported: ['codex'], unsupported: [] }],
    ['is among the unsupported ones', { supported: ['*'], unsupported: ['claude'] }],
  ])('breaks at runtimeCompat where the runtime %s', async (_title, runtimeCompat) => {
    loop.global(feature('a', { ...HOOK, runtimeCompat }))
    expect(await stateOf('a', { runtime: 'claude' })).toMatchObject({ compatible: false, active: false })
    expect(await stateOf('a')).toMatchObject({ active: true })
  })

  it('breaks at activationKey where its key is false', async () => {
    loop.global(feature('a', { ...HOOK, activationKey: 'a.on', config: { 'a.on': flag(false) } }))
    expect(await stateOf('a')).toMatchObject({ active: false, reason: /activation key "a\.on" is false \(default\)/ })
    loop.config({ a: { on: true } })
    expect(await stateOf('a')).toMatchObject({ active: true })
  })

  it('breaks at when for one hook alone', async () => {
    const hooks = [
      { ...contribution('plan:pre', 'planner', 'x'), when: 'a.x' },
      contribution('plan:pre', 'checker', 'y'),
    ]
    loop.global(feature('a', { contributions: hooks, config: { 'a.x': flag(false) } }))
    expect(await stateOf('a')).toMatchObject({
      active: true,
      hooks: [
        { configured: false, active: false, reason: 'the key "a.x" is false (default)' },
        { configured: true, active: true, reason: null },
      ],
    })
  })

  it.each([
    ['false', false],
    ['null', null],
    ['0', 0],
    ['an empty text', ''],
  ])('takes %s for false', async (_title, value) => {
    const gated = { ...contribution('plan:pre', 'planner', 'x'), when: 'features.x' }
    loop.global(feature('a', { contributions: [gated] }))
    loop.config({ features: { x: value } })
    expect((await stateOf('a'))?.hooks).toMatchObject([{ configured: false }])
    loop.config({ features: { x: 'false' } })
    expect((await stateOf('a'))?.hooks).toMatchObject([{ configured: true }])
  })

  it('breaks at the point that a key does not choose', async () => {
    const config = {
      'a.point': {
        type: 'enum' as const,
        default: 'plan:pre',
        values: ['plan:pre', 'plan:post'],
        description: 'Where.',
      },
    }
    const steps = ['plan:pre', 'plan:post'].map((point) => ({
      ...step(point, [`${point[6]}.md`], [], 's'),
      pointFrom: 'a.point',
    }))
    loop.global(feature('a', { skills: ['s'], config, steps }))
    expect((await stateOf('a'))?.hooks).toMatchObject([
      { active: true },
      { active: false, reason: /chooses "plan:pre"/ },
    ])
    loop.config({ a: { point: 'plan:post' } })
    expect((await stateOf('a'))?.hooks).toMatchObject([{ active: false }, { active: true }])
  })

  it('breaks at requires where what it requires is inactive, and names the way there', async () => {
    loop.global(feature('c', { activationKey: 'c.on', config: { 'c.on': flag(false) } }))
    loop.global(feature('b', { requires: ['c'] }))
    loop.global(feature('a', { ...HOOK, requires: ['b'] }))
    expect(await stateOf('a')).toMatchObject({
      active: false,
      reason: /requires "b", which is inactive: it requires "c", which is inactive: its activation key "c\.on"/,
      hooks: [{ configured: true, active: false }],
    })
  })

  it('is followed through a thousand requirements', async () => {
    const count = 1000
    for (let at = 0; at < count; at++)
      loop.global(
        at === count - 1
          ? feature(`c${at}`, { activationKey: 'c.on', config: { 'c.on': flag(false) } })
          : feature(`c${at}`, { requires: [`c${at + 1}`], ...(at === 0 ? HOOK : {}) }),
      )
    expect(resolveLoopHooks(await loop.load(), 'plan:pre', loop.options)).toMatchObject({ activeHooks: [] })
  })
})

describe('the runtime that asks', () => {
  it('is that of the configuration where the call names none', async () => {
    loop.global(feature('a', { ...HOOK, runtimeCompat: { supported: ['codex'], unsupported: [] } }))
    loop.config({ runtime: 'claude' })
    expect(await stateOf('a')).toMatchObject({ active: false })
    loop.config({ runtime: 'codex' })
    expect(await stateOf('a')).toMatchObject({ active: true })
  })
})
