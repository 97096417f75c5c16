import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { doctor } from '../../src/operation/doctor.ts'
import { validate } from '../../src/operation/validate.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import { shellQuote } from '../../src/shell-quote.ts'
import { checkLookAlikes } from '../../src/trust/look-alike-warnings.ts'
import { setEnabledIn } from '../helpers/operations.ts'
import { bundleFiles, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const SOURCE = 'https://example.org/core-made.git#v1.0.0'

/** A bundle and a ledger as GSD Core leaves them. */
const installWithCore = (entry: unknown = { id: 'core-made', version: '1.0.0', source: SOURCE, files: [] }): void => {
  for (const [path, text] of Object.entries(bundleFiles('core-made')))
    scratch.put(`home/.gsd/capabilities/core-made/${path}`, text, path.endsWith('.sh') ? 0o755 : 0o644)
  const ledger = { version: '1', updatedAt: '2026-01-01T00:00:00.000Z', entries: { 'core-made': entry } }
  scratch.put('home/.gsd-capabilities.json', JSON.stringify(ledger))
}

const rowOf = async (id: string) => {
  const { rows } = await loadRegistryFor(scratch.testContext().context)
  return rows.find((row) => row.id === id)
}

describe('what GSD Core installed in the same home', () => {
  test('is active, with its source, and the doctor is content', async () => {
    installWithCore()
    expect(await rowOf('core-made')).toMatchObject({ status: 'active', code: null, source: `GSD Core: ${SOURCE}` })
    const { context } = scratch.testContext()
    expect((await doctor(context, { scope: null, fix: false })).findings).toEqual([])
    const before = scratch.tree()
    expect(await doctor(context, { scope: null, fix: true })).toEqual({ findings: [], adopted: [], warnings: [] })
    scratch.expectTree(before)
  })

  test('is adopted by --fix --adopt: then it is in the ledger, and the ledger of GSD Core is as it was', async () => {
    installWithCore()
    const { context } = scratch.testContext()
    const core = scratch.text('home/.gsd-capabilities.json')
    expect(await doctor(context, { scope: 'global', fix: true, adopt: true })).toMatchObject({ adopted: ['core-made'] })
    expect(JSON.parse(scratch.text('home/.gsd/ledger.json')).capabilities).toHaveProperty('core-made')
    expect(scratch.text('home/.gsd-capabilities.json')).toBe(core)
    expect(await rowOf('core-made')).toMatchObject({ status: 'active', source: './.gsd/capabilities/core-made' })
    expect((await doctor(context, { scope: null, fix: false })).findings).toEqual([])
  })

  test.each([
    ['no entry of that id', { entries: { other: { source: SOURCE } } }],
    ['another shape', { entries: [] }],
    ['a source that is no text', { entries: { 'core-made': { source: 1 } } }],
    ['no JSON', null],
  ])('is an orphan where the ledger of GSD Core has %s', async (_name, ledger) => {
    installWithCore()
    scratch.put('home/.gsd-capabilities.json', ledger === null ? '{' : JSON.stringify(ledger))
    expect(await rowOf('core-made')).toMatchObject({ status: 'orphan' })
  })

  test('is noticed when the ledger of GSD Core appears or goes later', async () => {
    installWithCore()
    const text = scratch.text('home/.gsd-capabilities.json')
    rmSync(scratch.path('home/.gsd-capabilities.json'))
    expect(await rowOf('core-made')).toMatchObject({ status: 'orphan' })
    scratch.put('home/.gsd-capabilities.json', text)
    expect(await rowOf('core-made')).toMatchObject({ status: 'active' })
  })
})

describe('the switch of GSD Core', () => {
  const SURFACE = 'home/.claude/.gsd-surface.json'
  const switchNotices = async (status: 'enabled' | 'disabled'): Promise<readonly (string | undefined)[]> => {
    const { warnings } = await setEnabledIn(scratch.testContext().context, status, 'ui')
    return warnings.filter(({ code }) => code === 'HOST_CORE_SWITCH').map(({ hint }) => hint)
  }
  const withTools = (): string => scratch.put('home/.claude/gsd-core/bin/gsd-tools.cjs', '')

  test('is named by disable and enable where it differs, with its command, and its file stays as it is', async () => {
    const tools = withTools()
    scratch.put(SURFACE, JSON.stringify({ baseProfile: 'full', disabledClusters: [] }))
    const [off] = await switchNotices('disabled')
    expect(off).toContain('capability set ui --off --config-dir')
    expect(off).toContain(shellQuote(tools))
    expect(await switchNotices('enabled')).toEqual([])
    const switchedOff = JSON.stringify({ baseProfile: 'full', disabledClusters: ['ui'] })
    scratch.put(SURFACE, switchedOff)
    expect(await switchNotices('disabled')).toEqual([])
    expect(await switchNotices('enabled')).toEqual([expect.stringContaining('capability set ui --on')])
    expect(scratch.text(SURFACE)).toBe(switchedOff)
  })

  test.each([
    ['does not exist', null],
    ['is no JSON', '{'],
    ['has no profile', JSON.stringify({ disabledClusters: ['ui'] })],
  ])('counts as on where its file %s', async (_name, text) => {
    withTools()
    if (text !== null) scratch.put(SURFACE, text)
    expect(await switchNotices('disabled')).toHaveLength(1)
  })

  test('is not mentioned where GSD Core is not in the host', async () => {
    scratch.put(SURFACE, JSON.stringify({ baseProfile: 'full' }))
    expect(await switchNotices('disabled')).toEqual([])
  })
})

describe('the capabilities of GSD Core 1.14', () => {
  const firstParty = async () => {
    const { rows, warnings, registry } = await loadRegistryFor(scratch.testContext().context)
    return { rows, warnings, manifests: [...registry.capabilities.values()].map(({ manifest }) => manifest) }
  }

  test('all 46 load as first-party, are active, and none is warned about', async () => {
    const { rows, warnings } = await firstParty()
    expect(rows.filter(({ scope, status }) => scope === 'first-party' && status === 'active')).toHaveLength(46)
    expect(warnings).toEqual([])
  })

  test('none of them is taken for a look-alike of another, of a family or of the program', async () => {
    const { manifests } = await firstParty()
    for (const manifest of manifests) expect(checkLookAlikes(manifests, [manifest])).toEqual([])
  })

  test('each of them validates alone, without a warning', async () => {
    const folder = join(import.meta.dirname, '../../capabilities')
    for (const id of readdirSync(folder)) {
      const { files } = await validate(scratch.testContext().context, [join(folder, id)])
      expect(files).toEqual([{ file: expect.any(String), id, diagnostics: [] }])
    }
  })
})
