import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { useReleases, type Release } from '../helpers/releases.ts'
import { useScratch } from '../helpers/scratch.ts'
import { startHttpsServer } from '../helpers/servers.ts'

const scratch = useScratch()
const publish = useReleases(scratch)
const PLAIN = { hooks: [] }

describe('missing requirements', () => {
  it('are installed from the source that their dependent names, in one operation, and marked', async () => {
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

  it('are listed when nothing needs them any more, and stay', async () => {
    const { bundle, install, remove, list } = scratch
    bundle('base', { manifest: PLAIN })
    bundle('middle', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } })
    await install(bundle('top', { manifest: { ...PLAIN, requires: ['middle'], 'x-sources': { middle: '../middle' } } }))
    const { noLongerNeeded } = await remove('top')
    expect(noLongerNeeded).toEqual(['middle', 'base'])
    const { rows } = await list()
    expect(rows.filter(({ scope }) => scope === 'global').map(({ id }) => id)).toEqual(['base', 'middle'])
  })

  it('are no longer marked after they are installed by name', async () => {
    const { bundle, install, remove } = scratch
    const base = bundle('base', { manifest: PLAIN })
    await install(bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } }))
    await install(base)
    expect((await remove('top')).noLongerNeeded).toEqual([])
  })

  it('without a source stop the whole install', async () => {
    const { bundle, install, refused } = scratch
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['nowhere'] } })
    expect(await refused(() => install(top))).toMatchObject({ code: 'REGISTRY_REQUIRES_MISSING', exitStatus: 3 })
  })

  it('whose source contains another id stop the whole install', async () => {
    const { bundle, install, refused } = scratch
    bundle('other', { manifest: PLAIN })
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../other' } } })
    expect((await refused(() => install(top))).message).toContain('contains "other"')
  })

  it.each(['npm:./x', 'https://localhost:1/x.tgz', '../nowhere', 'base@nowhere'])(
    'that cannot be fetched from %s are reported with their dependent',
    async (base) => {
      const top = scratch.bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base } } })
      const { message, details } = await scratch.refused(() => scratch.install(top))
      expect(message).toMatch(/^"top" requires "base": /)
      expect(details).toMatchObject({ id: 'base', requiredBy: 'top' })
    },
  )

  it('that require each other are refused together', async () => {
    scratch.bundle('one', { manifest: { ...PLAIN, requires: ['two'], 'x-sources': { two: '../two' } } })
    const two = scratch.bundle('two', { manifest: { ...PLAIN, requires: ['one'], 'x-sources': { one: '../one' } } })
    expect(await scratch.refused(() => scratch.install(two))).toMatchObject({ code: 'REGISTRY_REQUIRES_CYCLE' })
  })

  it('shared by several are installed once, and needed until the last of these is removed', async () => {
    scratch.bundle('base', { manifest: PLAIN })
    for (const side of ['left', 'right'])
      scratch.bundle(side, { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base: '../base' } } })
    const sources = { left: '../left', right: '../right' }
    const top = scratch.bundle('top', { manifest: { ...PLAIN, requires: ['left', 'right'], 'x-sources': sources } })
    const { installed } = await scratch.install(top)
    expect(installed.map(({ id }) => id)).toEqual(['top', 'left', 'right', 'base'])
    expect((await scratch.remove(['top', 'left'])).noLongerNeeded).toEqual(['right', 'base'])
  })

  it('are never fetched from an absolute path of this machine', async () => {
    const { bundle, install, refused } = scratch
    const base = bundle('base', { manifest: PLAIN })
    const top = bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': { base } } })
    expect(await refused(() => install(top))).toMatchObject({ code: 'SPEC_REFUSED' })
  })
})

describe('requirements of a capability from a catalog', () => {
  const requiring = (requires: readonly string[]): Release => ({ version: '1.0.0', manifest: { requires } })

  it('are looked up in the same catalog, and theirs too', async () => {
    publish.catalog({ top: [requiring(['middle'])], middle: [requiring(['base'])], base: [{ version: '2.0.0' }] })
    const { installed } = await scratch.install('top@^1@team')
    expect(installed.map(({ id, spec }) => `${id} ${spec}`)).toEqual([
      'top top@^1@team',
      'middle middle@team',
      'base base@team',
    ])
    const { capabilities } = JSON.parse(scratch.text('home/.gsd/ledger.json'))
    expect(capabilities.base).toMatchObject({ auto: true, version: '2.0.0' })
    expect(capabilities.top.auto).toBeUndefined()
    expect((await scratch.remove('top')).noLongerNeeded).toEqual(['middle', 'base'])
  })

  it('are looked up without a second request, in one command', async () => {
    publish.catalog({
      top: [requiring(['base'])],
      beside: [{ version: '1.0.0' }],
      base: [{ version: '1.0.0' }, { version: '2.0.0', gsd: '>=9', table: { '1.0.0': '1.0.0' } }],
    })
    let list = ''
    const web = await startHttpsServer(({ url = '' }, response) =>
      response.end(url === '/list.json' ? list : readFileSync(scratch.path(`catalog${url}`))),
    )
    list = scratch.text('catalog/catalog.json').replaceAll(/"\.(\/[^"]+)"/g, (_spec, path: string) => {
      execFileSync('tar', ['-czf', scratch.path(`catalog${path}.tgz`), '-C', scratch.path(`catalog${path}`), '.'])
      return `"${web.url}${path}.tgz"`
    })
    scratch.put(
      'home/.gsd/config.json',
      JSON.stringify({ schema: 1, catalogs: { team: `${web.url}/list.json` } }),
      0o600,
    )
    try {
      const { installed } = await scratch.install(['top@team', 'beside@team'])
      expect(installed.map(({ id, version }) => `${id} ${version}`)).toEqual([
        'top 1.0.0',
        'beside 1.0.0',
        'base 1.0.0',
      ])
      expect(web.requests.filter(({ url }) => url === '/list.json')).toHaveLength(1)
    } finally {
      await web.close()
    }
  })

  it('are shown in the plan, before anything is installed', async () => {
    publish.catalog({ top: [requiring(['base'])], base: [{ version: '2.0.0' }] })
    const { plan } = await scratch.install('top@team', { dryRun: true })
    expect(plan?.disclosures.map(({ id }) => id)).toEqual(['top', 'base'])
    expect(existsSync(scratch.path('home/.gsd/ledger.json'))).toBe(false)
  })

  it('missing in the catalog stop the whole install', async () => {
    publish.catalog({ top: [requiring(['nowhere'])] })
    expect(await scratch.refused(() => scratch.install('top@team'))).toMatchObject({ code: 'FETCH_NOT_FOUND' })
  })

  it('refused by policy stop the whole install', async () => {
    publish.catalog({ top: [{ ...requiring(['base']), manifest: { requires: ['base'], 'x-sources': SOURCES } }] })
    policy(['catalog:team'])
    const error = await scratch.refused(() => scratch.install('top@team'))
    expect(error).toMatchObject({ code: 'POLICY_REFUSED', exitStatus: 3 })
    expect(error.message).toContain('git.acme.invalid')
  })

  it('of a folder stop the whole install too, if policy allows nothing from outside', async () => {
    const top = scratch.bundle('top', { manifest: { ...PLAIN, requires: ['base'], 'x-sources': SOURCES } })
    policy([])
    expect(await scratch.refused(() => scratch.install(top))).toMatchObject({ code: 'POLICY_REFUSED' })
  })

  it('are not fetched from a path of this machine, even from a local catalog', async () => {
    publish.catalog({ top: [{ version: '1.0.0', manifest: { requires: ['base'], 'x-sources': { base: '../base' } } }] })
    expect(await scratch.refused(() => scratch.install('top@team'))).toMatchObject({ code: 'SPEC_REFUSED' })
  })
})

/** No host below `invalid` exists: a request that policy does not stop would fail by the network. */
const SOURCES = { base: 'https://git.acme.invalid/o/base.git' }
const policy = (strict_known_registries: readonly string[]): void =>
  void scratch.put('home/.gsd/policy.json', JSON.stringify({ schema: 1, strict_known_registries }))
