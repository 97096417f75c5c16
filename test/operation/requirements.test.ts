import { describe, expect, it } from 'vitest'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const PLAIN = { hooks: [] }

describe('requirements that are not here', () => {
  it('are brought along from where their capability says, in one operation, and marked', async () => {
    const { bundle, install, text } = scratch
    bundle('base', { manifest: PLAIN })
    bundle('middle', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } })
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['middle'], 'x-sources': { middle: '../middle' } } })
    const { installed } = await install(top)
    expect(installed.map(({ id }) => id)).toEqual(['top', 'middle', 'base'])
    const ledger = JSON.parse(text('home/.gsd/ledger.json'))
    expect(ledger.capabilities.base).toMatchObject({ auto: true })
    expect(ledger.capabilities.middle).toMatchObject({ auto: true, requires: ['base'] })
    expect(ledger.capabilities.top.auto).toBeUndefined()
  })

  it('are named when nothing needs them any more, and stay', async () => {
    const { bundle, install, remove, list } = scratch
    bundle('base', { manifest: PLAIN })
    bundle('middle', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } })
    await install(bundle('top', { manifest: { ...PLAIN, requires: ['middle'], 'x-sources': { middle: '../middle' } } }))
    const { noLongerNeeded } = await remove('top')
    expect(noLongerNeeded).toEqual(['middle', 'base'])
    const { rows } = await list()
    expect(rows.filter(({ scope }) => scope === 'global').map(({ id }) => id)).toEqual(['base', 'middle'])
  })

  it('are no longer marked once they are asked for by name', async () => {
    const { bundle, install, remove } = scratch
    const base = bundle('base', { manifest: PLAIN })
    await install(bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } }))
    await install(base)
    expect((await remove('top')).noLongerNeeded).toEqual([])
  })

  it('refuse the whole install where there is no source for them', async () => {
    const { bundle, install, refused } = scratch
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['nowhere'] } })
    expect(await refused(() => install(top))).toMatchObject({ code: 'REGISTRY_REQUIRES_MISSING', exitStatus: 3 })
  })

  it('refuse the whole install where the source holds something else', async () => {
    const { bundle, install, refused } = scratch
    bundle('other', { manifest: PLAIN })
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../other' } } })
    expect((await refused(() => install(top))).message).toContain('holds "other"')
  })

  it('are never taken from an absolute path of this machine', async () => {
    const { bundle, install, refused } = scratch
    const base = bundle('base', { manifest: PLAIN })
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base } } })
    expect(await refused(() => install(top))).toMatchObject({ code: 'SPEC_REFUSED' })
  })
})
