import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evaluateGates, renderPoint } from '../../src/loop.ts'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import { receiptText } from '../../src/state/receipts.ts'
import { LEDGER_ENTRY, load, writeBundle, writeFileIn, writeLedger } from '../overlay/test-machine.ts'
import { feature } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()

const guarded = (rest: Partial<FeatureManifest> = {}) =>
  feature('a', {
    gates: [{ point: 'ship:pre', check: { query: 'a.ready' }, blocking: true, onError: 'halt' }],
    ...rest,
  })

const lostAt = async (point = 'ship:pre') => {
  const registry = await loop.load()
  const { lostGates } = renderPoint(registry, point, loop.options)
  expect((await evaluateGates(registry, point, loop.options)).lostGates).toEqual(lostGates)
  return lostGates
}

describe('a gate is lost', () => {
  it.each([
    [
      'needs another version',
      () => writeBundle(loop.home, guarded({ engines: { gsd: '>=9.0.0' } })),
      'OVERLAY_INCOMPATIBLE',
    ],
    ['is not trusted', () => writeBundle(loop.project, guarded()), 'CONSENT_MISSING'],
    [
      'requires what is not there',
      () => writeBundle(loop.home, guarded({ requires: ['nowhere'] })),
      'REGISTRY_REQUIRES_MISSING',
    ],
    ['breaks a rule', () => writeBundle(loop.home, guarded({ title: '' })), 'OVERLAY_INVALID'],
    [
      'collides with another',
      () => {
        writeBundle(loop.home, guarded({ skills: ['s'] }))
        loop.trusted(feature('b', { skills: ['s'] }))
      },
      'REGISTRY_SKILL_COLLISION',
    ],
  ])('where its capability %s', async (_title, install, code) => {
    install()
    expect(await lostAt()).toEqual([
      { capability: 'a', gate: 'query a.ready', code, reason: expect.any(String), hint: expect.any(String) },
    ])
    expect(await lostAt('ship:post')).toEqual([])
  })

  it.each([
    ['is gone', () => rmSync(join(loop.home, '.gsd/capabilities/a'), { recursive: true }), 'OVERLAY_MISSING'],
    [
      'is no JSON any more',
      () => writeFileSync(join(loop.home, '.gsd/capabilities/a/capability.json'), '}'),
      'OVERLAY_SYNTAX',
    ],
  ])('where its manifest %s, as the receipt recorded it', async (_title, damage, code) => {
    writeBundle(loop.home, guarded())
    writeLedger(loop.home, ['a'])
    writeFileIn(
      join(loop.home, '.gsd/receipts/a.json'),
      receiptText('a', LEDGER_ENTRY.digest, [], [{ point: 'ship:pre', gate: 'query a.ready' }]),
    )
    expect(await lostAt()).toEqual([])
    damage()
    expect(await lostAt()).toMatchObject([{ capability: 'a', gate: 'query a.ready', code }])
  })

  it('where a first-party capability is dropped by the version', async () => {
    writeFileIn(
      join(loop.machine.firstParty, 'a/capability.json'),
      JSON.stringify(guarded({ engines: { gsd: '<1.0.0' } })),
    )
    const { registry } = await load(loop.machine)
    expect(renderPoint(registry, 'ship:pre', loop.options).lostGates).toMatchObject([
      { capability: 'a', code: 'OVERLAY_INCOMPATIBLE' },
    ])
  })

  it('but not where its capability is switched off', async () => {
    writeBundle(loop.home, guarded())
    writeFileIn(join(loop.home, '.gsd/state.json'), JSON.stringify({ schema: 1, capabilities: { a: 'disabled' } }))
    expect(await lostAt()).toEqual([])
  })

  it('but not where the same gate of the same id is there from the other scope', async () => {
    writeBundle(loop.home, guarded())
    writeBundle(loop.project, guarded())
    expect(await lostAt()).toEqual([])
  })

  it.each([
    ['numbers', { gates: [1, null, 'x'] }],
    ['no list', { gates: { point: 'ship:pre' } }],
    ['checks of no kind', { gates: [{ point: 'ship:pre', check: { predicate: { kind: 4 } } }, { point: 'ship:pre' }] }],
  ])('never by a throw where a broken manifest has %s for gates', async (_title, rest) => {
    writeFileIn(join(loop.home, '.gsd/capabilities/a/capability.json'), JSON.stringify({ ...guarded(), ...rest }))
    expect(Array.isArray(await lostAt())).toBe(true)
  })
})
