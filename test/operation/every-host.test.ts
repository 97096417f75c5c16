import { chmodSync, rmSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { RUNTIMES } from '../../src/host/runtimes/built-in-runtimes.ts'
import { verify } from '../../src/operation/verify.ts'
import { doctorIn, setEnabledIn, syncIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const everything = (version = '1.0.0', id = 'all'): string =>
  scratch.bundle(id, {
    manifest: {
      version,
      hooks: [{ event: 'PreToolUse', script: 'hooks/run.sh', timeout: 5 }],
      skills: [`look-${id}`],
      agents: [`checker-${id}`],
      mcpServers: { [`tools-${id}`]: { command: 'npx', args: [version] } },
    },
    files: {
      [`skills/look-${id}/SKILL.md`]: `---\nname: look-${id}\ndescription: Looks.\n---\n${version}\n`,
      [`agents/checker-${id}.md`]: `---\nname: checker-${id}\ndescription: Checks.\ntools: Read, Bash\n---\nCheck.\n`,
    },
  })

const ids = RUNTIMES.map(({ id }) => id)

describe.each(['global', 'project'] as const)('in the %s scope', (scope) => {
  test.each(ids)('%s gets every part it supports, reports the rest, and is restored without a trace', async (id) => {
    const bundle = everything()
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, { scope, runtimes: [id] })
    const [row] = installed
    expect((row?.wired.length ?? 0) + (row?.notWired.length ?? 0)).toBeGreaterThan(0)
    const { context } = scratch.testContext()
    expect(verify(context, { ids: ['all'], scope }).capabilities).toMatchObject([{ ok: true }])
    expect((await doctorIn(context)).findings).toEqual([])
    expect(await scratch.install(bundle, { scope })).toMatchObject({ installed: [], unchanged: ['all'] })
    const on = scratch.tree()
    await setEnabledIn(context, 'disabled', 'all', { scope })
    await setEnabledIn(context, 'enabled', 'all', { scope })
    scratch.expectTree(on)
    await scratch.install(everything('1.1.0'), { scope })
    expect(verify(context, { ids: ['all'], scope }).capabilities).toMatchObject([{ ok: true }])
    everything()
    await scratch.remove('all', { scope })
    scratch.expectTree(before)
  })
})

test('all of them at once', async () => {
  const bundle = everything()
  const before = scratch.tree()
  const { installed } = await scratch.install(bundle, { runtimes: ids, force: true })
  expect(new Set(installed[0]?.wired.map(({ runtime }) => runtime)).size).toBeGreaterThan(14)
  expect(verify(scratch.testContext().context, { ids: ['all'], scope: 'global' }).capabilities).toMatchObject([
    { ok: true },
  ])
  await scratch.remove('all')
  scratch.expectTree(before)
})

test.each([
  ['all', 'more'],
  ['more', 'all'],
])('two capabilities in all of them leave no folder behind when %s is removed first', async (first, last) => {
  const bundles = [everything(), everything('1.0.0', 'more')]
  const before = scratch.tree()
  for (const bundle of bundles) await scratch.install(bundle, { runtimes: ids, force: true })
  for (const id of [first, last]) await scratch.remove(id)
  scratch.expectTree(before)
})

test('a script run by a host counts as edited without its executable bit, and the hint restores it', async () => {
  const { installed } = await scratch.install(everything(), { runtimes: ['cline'] })
  const file = installed[0]?.wired.find(({ file: each }) => each.endsWith('/PreToolUse'))?.file ?? ''
  const { context } = scratch.testContext()
  chmodSync(file, 0o644)
  const { capabilities, warnings } = verify(context, { ids: [], scope: null })
  expect(capabilities[0]?.hosts).toContainEqual(expect.objectContaining({ file, state: 'edited' }))
  expect(warnings[0]?.hint).toBe(`move ${file} away, or delete it, then gsd capability sync --scope global`)
  rmSync(file)
  await syncIn(context, { scope: 'global' })
  expect(verify(context, { ids: [], scope: null }).capabilities).toMatchObject([{ ok: true }])
  expect(statSync(file).mode & 0o100).toBe(0o100)
})

test('an update that a wired host does not support says how to unwire that host, and then succeeds', async () => {
  const bundle = (version: string, unsupported: readonly string[]): string =>
    scratch.bundle('grows', { manifest: { version, runtimeCompat: { supported: ['*'], unsupported } } })
  await scratch.install(bundle('1.0.0', []), { runtimes: ['claude', 'codex'] })
  bundle('2.0.0', ['codex'])
  const error = await scratch.refused(() => updateIn(scratch.testContext().context, 'grows'))
  expect(error).toMatchObject({
    code: 'HOST_UNSUPPORTED',
    hint: 'to remove it from that host first: gsd capability remove grows --runtime codex',
  })
  await scratch.remove('grows', { runtime: 'codex' })
  expect((await updateIn(scratch.testContext().context, 'grows')).updated).toMatchObject([{ id: 'grows' }])
})

test('an update with an event that one wired host lacks leaves that hook out there', async () => {
  const bundle = (version: string, ...events: readonly string[]): string =>
    scratch.bundle('grows', {
      manifest: { version, hooks: events.map((event) => ({ event, script: 'hooks/run.sh' })) },
    })
  const hosts = { runtimes: ['claude', 'codex'] }
  await scratch.install(bundle('1.0.0', 'Stop'), hosts)
  bundle('2.0.0', 'Stop', 'FileChanged')
  const { updated } = await updateIn(scratch.testContext().context, 'grows')
  expect(updated).toMatchObject([
    { notWired: [{ runtime: 'codex', reason: expect.stringContaining('"FileChanged"') }] },
  ])
  expect(Object.keys(JSON.parse(scratch.text('home/.claude/settings.json')).hooks)).toEqual(['Stop', 'FileChanged'])
  expect(Object.keys(JSON.parse(scratch.text('home/.codex/hooks.json')).hooks)).toEqual(['Stop'])
  expect((await doctorIn(scratch.testContext().context)).findings).toEqual([])
})

test('MCP servers written as an inline table leave out the servers alone', async () => {
  const toml = 'mcp_servers = { mine = { command = "mine" } }\n'
  scratch.put('home/.codex/config.toml', toml)
  const bundle = scratch.bundle('all', {
    manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }], mcpServers: { 'tools-all': { command: 'npx' } } },
  })
  const strict = await scratch.refused(() => scratch.install(bundle, { runtimes: ['codex'], strict: true }))
  expect(strict.code).toBe('HOST_SETTINGS_SHAPE')
  const { installed } = await scratch.install(bundle, { runtimes: ['codex'] })
  expect(installed[0]?.notWired).toMatchObject([{ runtime: 'codex', reason: expect.stringContaining('"tools-all"') }])
  expect(installed[0]?.wired).toMatchObject([{ file: expect.stringContaining('hooks.json') }])
  expect(scratch.text('home/.codex/config.toml')).toBe(toml)
  await scratch.remove('all')
  expect(scratch.text('home/.codex/config.toml')).toBe(toml)
})

test('several capabilities and a file of the user share an event of Cline, each with a file of its own', async () => {
  scratch.put('home/Documents/Cline/Hooks/PreToolUse', '#!/bin/sh\n# mine\n')
  const bundles = [everything(), everything('1.0.0', 'more')]
  const before = scratch.tree()
  const files: string[] = []
  for (const bundle of bundles) {
    const { installed } = await scratch.install(bundle, { runtimes: ['cline'] })
    files.push(...(installed[0]?.wired ?? []).map(({ file }) => file).filter((file) => file.includes('/Hooks/')))
  }
  expect(files).toEqual(['.sh', '.bash'].map((end) => scratch.path(`home/Documents/Cline/Hooks/PreToolUse${end}`)))
  everything('1.1.0')
  await updateIn(scratch.testContext().context, 'all')
  expect(verify(scratch.testContext().context, { ids: ['all', 'more'], scope: 'global' }).capabilities).toMatchObject([
    { ok: true },
    { ok: true },
  ])
  everything()
  for (const id of ['all', 'more']) await scratch.remove(id)
  scratch.expectTree(before)
})
