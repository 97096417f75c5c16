import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RuntimeBody } from '../../src/manifest/manifest.ts'
import { removeIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const BODY: RuntimeBody = {
  configHome: { kind: 'dot-home', name: '.pilot', env: ['PILOT_HOME'] },
  localConfigDir: '.pilot',
  configFormat: 'settings-json',
  artifactLayout: {
    global: [{ kind: 'skills', destSubpath: 'skills', prefix: 'gsd-', nesting: 'flat' }],
    local: [],
  },
  commandStyle: 'slash-hyphen',
  hooksSurface: 'settings-json',
  hookEvents: 'claude',
  sandboxTier: 'none',
  supportTier: 2,
  installSurface: 'settings-json',
  writesSharedSettings: true,
}

/** A capability that only describes a host. */
const runtime = (body: Partial<RuntimeBody> = {}, id = 'pilot'): string => {
  const {
    id: _id,
    runtimeCompat: _compat,
    skills: _s,
    agents: _a,
    steps: _st,
    contributions: _c,
    gates: _g,
    ...envelope
  } = JSON.parse(
    readFileSync(join(scratch.bundle(id, { files: { 'hooks/run.sh': null } }), 'capability.json'), 'utf8'),
  ) as Record<string, unknown>
  const { hooks: _hooks, ...rest } = envelope
  const manifest = { ...rest, id, role: 'runtime', title: 'Pilot', runtime: { ...BODY, ...body } }
  scratch.put(`bundles/${id}/capability.json`, JSON.stringify(manifest))
  return scratch.path('bundles', id)
}

const guard = (): string =>
  scratch.bundle('guard', {
    manifest: { skills: ['look'], hooks: [{ event: 'PreToolUse', script: 'hooks/run.sh', timeout: 5 }] },
    files: { 'skills/look/SKILL.md': '---\nname: look\ndescription: Looks.\n---\n' },
  })

describe('a host runtime described only by a capability', () => {
  test('is unknown at first, wired by its data afterwards, and removed without a trace', async () => {
    const bundle = guard()
    const described = runtime()
    const error = await scratch.refused(() => scratch.install(bundle, { runtimes: ['pilot'] }))
    expect(error.code).toBe('HOST_UNKNOWN_RUNTIME')
    await scratch.install(described)
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, { runtimes: ['pilot'] })
    expect(installed[0]?.wired).toHaveLength(2)
    expect(JSON.parse(scratch.text('home/.pilot/settings.json'))).toMatchObject({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', timeout: 5 }] }] },
    })
    expect(scratch.text('home/.pilot/skills/gsd-look/SKILL.md')).toContain('name: gsd-look')
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test('is wired in the folder of its variable, and in a project', async () => {
    await scratch.install(runtime())
    const env = { PILOT_HOME: scratch.path('elsewhere') }
    const options = { env }
    await scratch.install(guard(), { runtimes: ['pilot'] }, options)
    expect(scratch.text('elsewhere/settings.json')).toContain('run.sh')
    await scratch.install(guard(), { scope: 'project', runtimes: ['pilot'] })
    expect(scratch.text('project/.pilot/settings.json')).toContain('run.sh')
  })

  test('has the events of its family, in the unit of its family', async () => {
    await scratch.install(runtime({ hookEvents: 'gemini' }))
    await scratch.install(guard(), { runtimes: ['pilot'] })
    expect(JSON.parse(scratch.text('home/.pilot/settings.json'))).toMatchObject({
      hooks: { BeforeTool: [{ hooks: [{ timeout: 5000 }] }] },
    })
    const odd = scratch.bundle('odd', { manifest: { hooks: [{ event: 'FileChanged', script: 'hooks/run.sh' }] } })
    expect(await scratch.install(odd, { runtimes: ['pilot'] })).toMatchObject({
      installed: [{ wired: [], notWired: [{ runtime: 'pilot', reason: expect.stringContaining('FileChanged') }] }],
    })
  })

  test('can be unwired after its description is gone', async () => {
    await scratch.install(runtime())
    await scratch.install(guard(), { runtimes: ['pilot'] })
    await removeIn(scratch.testContext().context, 'pilot')
    expect(await scratch.install(guard())).toMatchObject({ unchanged: ['guard'] })
    await scratch.remove('guard', { runtime: 'pilot' })
    expect(scratch.text('home/.gsd/ledger.json')).not.toContain('pilot')
    await scratch.remove('guard')
  })

  test('may come from a folder of first-party capabilities', async () => {
    runtime()
    cpSync(join(import.meta.dirname, '../../capabilities/claude'), scratch.path('set/claude'), { recursive: true })
    cpSync(scratch.path('bundles/pilot'), scratch.path('set/pilot'), { recursive: true })
    const { context } = scratch.testContext()
    const { install } = await import('../../src/operation/install.ts')
    const answer = await install(
      { ...context, firstParty: scratch.path('set') },
      {
        specs: [guard()],
        scope: 'global',
        integrity: null,
        runtimes: ['pilot'],
        settings: null,
        force: false,
        replace: false,
        allowHttp: false,
        allowHidden: false,
        dryRun: false,
        consentPrompt: { assumeYes: true, confirm: null, disclose: () => undefined },
      },
    )
    expect(answer.installed[0]?.wired.map(({ runtime: id }) => id)).toEqual(['pilot', 'pilot'])
  })
})
