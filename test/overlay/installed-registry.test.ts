import { mkdirSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadRegistry } from '../../src/loader.ts'
import { bundleFiles, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const load = () => loadRegistry({ home: scratch.home, project: scratch.project, hostVersion: '1.14.0' })

/** Writes a bundle where an installed one would be. */
const plant = (scope: 'home' | 'project', folder: string, manifest: Record<string, unknown> | string = {}): void => {
  const files = bundleFiles(folder, typeof manifest === 'string' ? {} : manifest)
  const content = typeof manifest === 'string' ? manifest : (files['capability.json'] ?? '')
  scratch.put(`${scope}/.gsd/capabilities/${folder}/capability.json`, content)
  scratch.put(`${scope}/.gsd/capabilities/${folder}/hooks/run.sh`, files['hooks/run.sh'] ?? '')
}

const BROKEN: readonly (readonly [string, string, () => void])[] = [
  [
    'no-manifest',
    'OVERLAY_NO_MANIFEST',
    () => mkdirSync(scratch.path('home/.gsd/capabilities/no-manifest'), { recursive: true }),
  ],
  ['syntax', 'OVERLAY_SYNTAX', () => plant('home', 'syntax', '{ "id": "syntax", }')],
  ['invalid', 'OVERLAY_INVALID', () => plant('home', 'invalid', { version: 'new' })],
  ['engines', 'OVERLAY_INCOMPATIBLE', () => plant('home', 'engines', { engines: { gsd: '>=99' } })],
  ['role', 'OVERLAY_UNKNOWN_ROLE', () => plant('home', 'role', { role: 'planet' })],
  ['gsd-own', 'OVERLAY_RESERVED_ID', () => plant('home', 'gsd-own')],
  ['other-name', 'OVERLAY_ID_MISMATCH', () => plant('home', 'other-name', { id: 'guard-9' })],
  ['ui', 'REGISTRY_ID_COLLISION', () => plant('home', 'ui')],
  ['needy', 'REGISTRY_REQUIRES_MISSING', () => plant('home', 'needy', { requires: ['nobody'] })],
  ['untrusted', 'CONSENT_MISSING', () => plant('project', 'untrusted')],
]

describe('loadRegistry', () => {
  test('skips each unusable overlay with a code of its own, all at once, and loads the rest', async () => {
    await scratch.install(scratch.bundle('good'))
    await scratch.install(scratch.bundle('fine'), { scope: 'project' })
    for (const [, , make] of BROKEN) make()
    const before = scratch.tree()
    const { registry, warnings } = await load()
    scratch.expectTree(before)
    for (const [id, code] of BROKEN)
      expect(warnings.filter((it) => it.id === id && it.severity === 'warning').map((it) => it.code)).toEqual([code])
    expect(registry.capabilities.has('good')).toBe(true)
    expect(registry.capabilities.has('fine')).toBe(true)
    for (const [id] of BROKEN.filter(([id]) => id !== 'ui')) expect(registry.capabilities.has(id)).toBe(false)
    expect(registry.capabilities.get('ui')).toMatchObject({ origin: 'first-party' })
  })

  test('without installed capabilities is the first-party set', async () => {
    await scratch.install(scratch.bundle('good'))
    const { registry, warnings } = await loadRegistry({ home: scratch.home, includeInstalled: false })
    expect(registry.capabilities.has('good')).toBe(false)
    expect(registry.capabilities.has('ui')).toBe(true)
    expect(warnings).toEqual([])
  })

  test('reflects an install, a manual change and a removal within one process', async () => {
    await scratch.install(scratch.bundle('fine'), { scope: 'project' })
    expect((await load()).registry.capabilities.has('fine')).toBe(true)
    scratch.put('project/.gsd/capabilities/fine/hooks/run.sh', '#!/bin/sh\nexit 1\n')
    expect((await load()).warnings).toMatchObject([
      { id: 'fine', code: 'CONSENT_CHANGED', message: expect.stringContaining('hooks/run.sh') },
    ])
    await scratch.remove('fine', { scope: 'project', purgeData: true })
    const { registry, warnings } = await load()
    expect(registry.capabilities.has('fine')).toBe(false)
    expect(warnings).toEqual([])
  })

  test('does not accept consent from a repository, whatever it contains', async () => {
    await scratch.install(scratch.bundle('fine'), { scope: 'project' })
    const consent = scratch.text('home/.gsd/grants.json')
    rmSync(scratch.path('home/.gsd/grants.json'))
    for (const place of ['project/.gsd/grants.json', 'project/.gsd/projects/grants.json', 'project/grants.json'])
      scratch.put(place, consent)
    expect((await load()).warnings).toMatchObject([{ id: 'fine', code: 'CONSENT_MISSING' }])
  })
})
