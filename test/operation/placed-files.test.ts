import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verify } from '../../src/operation/verify.ts'
import { doctorIn, fixIn, grantIn, revokeIn, setEnabledIn, syncIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const SKILL = '---\nname: look\ndescription: Looks.\nallowed-tools: Read, Bash(git:*)\n---\n# Look\n\nBody  \n'
const QUOTED = SKILL.replace('description: Looks.', 'description: "Looks."')
const AGENT = '---\nname: checker\ndescription: Checks.\ntools: [Read, Bash]\nmodel: sonnet\n---\nCheck it.\r\n'
const PREFIXED = AGENT.replace('name: checker\ndescription: Checks.', 'name: gsd-checker\ndescription: "Checks."')
const PARTS = {
  manifest: { hooks: [], skills: ['look'], agents: ['checker', 'gsd-named'] },
  files: {
    'hooks/run.sh': null,
    'skills/look/SKILL.md': SKILL,
    'skills/look/refs/more.md': 'more\n',
    'agents/checker.md': AGENT,
    'agents/gsd-named.md': 'No frontmatter.\n',
  },
}
const home = (path: string): string => scratch.text(`home/${path}`)
const exists = (path: string): boolean => existsSync(scratch.path(path))
const state = () => verify(scratch.testContext().context, { ids: [], scope: null }).capabilities

describe('skills and agents of a capability', () => {
  test('are placed where the host reads them, with prefix and frontmatter, and are removed without a trace', async () => {
    const bundle = scratch.bundle('look', PARTS)
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, { runtimes: ['claude', 'cursor'], force: true })
    expect(home('.claude/skills/gsd-look/SKILL.md')).toBe(QUOTED.replace('name: look', 'name: gsd-look'))
    expect(home('.claude/skills/gsd-look/refs/more.md')).toBe('more\n')
    expect(home('.claude/agents/gsd-checker.md')).toBe(PREFIXED)
    expect(home('.claude/agents/gsd-named.md')).toBe('---\nname: gsd-named\ndescription: Guard\n---\nNo frontmatter.\n')
    expect(home('.cursor/skills/gsd-look/SKILL.md')).toBe(
      '---\nname: gsd-look\ndescription: "Looks."\n---\n# Look\n\nBody  \n',
    )
    expect(home('.cursor/agents/gsd-checker.md')).toBe(
      '---\nname: gsd-checker\ndescription: "Checks."\n---\nCheck it.\r\n',
    )
    expect(home('.cursor/agents/gsd-named.md')).toBe('---\nname: gsd-named\ndescription: Guard\n---\nNo frontmatter.\n')
    expect(installed[0]?.wired.map(({ runtime }) => runtime)).toEqual([
      'claude',
      'claude',
      'claude',
      'claude',
      'cursor',
      'cursor',
      'cursor',
      'cursor',
    ])
    expect(state()).toMatchObject([{ ok: true }])
    await scratch.remove('look')
    scratch.expectTree(before)
  })

  test('are skills with their other files and agents in a project, where Claude Code reads them', async () => {
    const bundle = scratch.bundle('look', PARTS)
    const before = scratch.tree()
    await scratch.install(bundle, { scope: 'project', runtimes: ['claude'] })
    expect(scratch.text('project/.claude/skills/gsd-look/SKILL.md')).toBe(
      QUOTED.replace('name: look', 'name: gsd-look'),
    )
    expect(scratch.text('project/.claude/skills/gsd-look/refs/more.md')).toBe('more\n')
    expect(scratch.text('project/.claude/agents/gsd-checker.md')).toBe(PREFIXED)
    await scratch.remove('look', { scope: 'project' })
    scratch.expectTree(before)
  })

  test.each([
    ['cline', 'global', '.cline/skills/gsd-look/SKILL.md', '.cline/agents/gsd-checker.yaml'],
    ['cline', 'project', '.cline/skills/gsd-look/SKILL.md', '.cline/agents/gsd-checker.yaml'],
    ['kimi-code', 'project', '.kimi-code/skills/gsd-look/SKILL.md', '.kimi-code/agents/gsd-checker.md'],
    ['pi', 'global', '.pi/agent/skills/gsd-look/SKILL.md', null],
    ['pi', 'project', '.pi/skills/gsd-look/SKILL.md', null],
    ['kilo', 'project', '.kilo/skills/gsd-look/SKILL.md', '.kilo/agents/gsd-checker.md'],
    ['opencode', 'project', '.opencode/skills/gsd-look/SKILL.md', '.opencode/agents/gsd-checker.md'],
  ] as const)('are placed where %s reads them in the %s scope', async (runtime, scope, skill, agent) => {
    const bundle = scratch.bundle('look', { ...PARTS, manifest: { ...PARTS.manifest, hooks: undefined } })
    await scratch.install(bundle, { scope, runtimes: [runtime] })
    const root = scope === 'global' ? 'home' : 'project'
    expect(scratch.text(`${root}/${skill}`)).toContain('name: gsd-look\n')
    if (agent !== null) expect(scratch.text(`${root}/${agent}`)).toContain('description: "Checks."\n')
  })

  test('replace no command of the user by the name inside: /look stays theirs', async () => {
    const bundle = scratch.bundle('look', { ...PARTS, manifest: { ...PARTS.manifest, hooks: undefined } })
    for (const [runtime, folder] of [
      ['opencode', '.opencode/commands'],
      ['kilo', '.kilo/command'],
    ] as const) {
      await scratch.install(bundle, { scope: 'project', runtimes: [runtime] })
      expect(scratch.text(`project/${folder}/gsd-look.md`)).not.toContain('name:')
      await scratch.remove('look', { scope: 'project' })
    }
  })

  test('are placed in hosts without hooks, too', async () => {
    const bundle = scratch.bundle('look', { ...PARTS, manifest: { ...PARTS.manifest, hooks: undefined } })
    const { installed } = await scratch.install(bundle, { runtimes: ['opencode'] })
    expect(home('.config/opencode/skills/gsd-look/SKILL.md')).toContain('name: gsd-look')
    expect(home('.config/opencode/commands/gsd-look.md')).toBe(QUOTED.replace('name: look\n', ''))
    expect(home('.config/opencode/agents/gsd-checker.md')).toContain('mode: subagent\n')
    expect(installed[0]?.notWired).toEqual([])
    expect(scratch.text('home/.gsd/ledger.json')).toContain('opencode')
  })

  test('change with the capability; files that it dropped are removed', async () => {
    const bundle = scratch.bundle('look', PARTS)
    const before = scratch.tree()
    await scratch.install(bundle, { runtimes: ['claude'] })
    const next = { ...PARTS.files, 'skills/look/SKILL.md': `${SKILL}new\n`, 'skills/look/refs/more.md': null }
    scratch.bundle('look', { manifest: { ...PARTS.manifest, version: '1.1.0' }, files: next })
    await updateIn(scratch.testContext().context, 'look')
    expect(home('.claude/skills/gsd-look/SKILL.md')).toContain('new')
    expect(exists('home/.claude/skills/gsd-look/refs')).toBe(false)
    scratch.bundle('look', PARTS)
    await scratch.remove('look')
    scratch.expectTree(before)
  })

  test('never overwrite a file of the user, and nothing at all is written then', async () => {
    const bundle = scratch.bundle('look', PARTS)
    scratch.put('home/.claude/skills/gsd-look/SKILL.md', 'mine\n')
    const error = await scratch.refused(() => scratch.install(bundle, { runtimes: ['claude'] }))
    expect(error).toMatchObject({
      code: 'HOST_SETTINGS_FILE',
      details: { file: scratch.path('home/.claude/skills/gsd-look/SKILL.md') },
    })
  })

  test('that exist with the same content are accepted, and stay afterwards', async () => {
    const bundle = scratch.bundle('look', PARTS)
    scratch.put('project/.claude/skills/gsd-look/SKILL.md', QUOTED.replace('name: look', 'name: gsd-look'))
    const before = scratch.tree()
    await scratch.install(bundle, { scope: 'project', runtimes: ['claude'] })
    await scratch.remove('look', { scope: 'project' })
    scratch.expectTree(before)
  })

  test('that were edited stay on update and removal, and this is reported', async () => {
    await scratch.install(scratch.bundle('look', PARTS), { runtimes: ['claude'] })
    const file = scratch.path('home/.claude/skills/gsd-look/SKILL.md')
    writeFileSync(file, 'mine now\n')
    expect(state()).toMatchObject([
      { ok: false, hosts: [{ state: 'ok' }, { state: 'ok' }, { state: 'edited' }, { state: 'ok' }] },
    ])
    const next = { ...PARTS.files, 'skills/look/SKILL.md': `${SKILL}new\n` }
    scratch.bundle('look', { manifest: { ...PARTS.manifest, version: '1.1.0' }, files: next })
    const { warnings } = await updateIn(scratch.testContext().context, 'look')
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'HOST_ENTRY_EDITED', file }))
    expect(readFileSync(file, 'utf8')).toBe('mine now\n')
    const removal = await scratch.remove('look')
    expect(removal.unwired).not.toContainEqual({ id: 'look', file })
    expect(removal.warnings).toContainEqual(expect.objectContaining({ code: 'HOST_ENTRY_EDITED', file }))
    expect(readFileSync(file, 'utf8')).toBe('mine now\n')
    expect(exists('home/.claude/skills/gsd-look/refs')).toBe(false)
  })

  test('that were edited stay with sync --force too, and are restored after they are moved away, as the hint says', async () => {
    await scratch.install(scratch.bundle('look', PARTS), { runtimes: ['claude'] })
    const file = scratch.path('home/.claude/skills/gsd-look/SKILL.md')
    writeFileSync(file, 'mine now\n')
    const { context } = scratch.testContext()
    const [warning] = verify(context, { ids: [], scope: null }).warnings
    expect(warning?.hint).toBe(`move ${file} away, or delete it, then gsd capability sync --scope global`)
    const { warnings } = await syncIn(context, { force: true })
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'HOST_ENTRY_EDITED', file }))
    expect(readFileSync(file, 'utf8')).toBe('mine now\n')
    rmSync(file)
    await syncIn(context, { scope: 'global' })
    expect(state()).toMatchObject([{ ok: true }])
  })

  test('that were deleted are restored by sync, and doctor reports them', async () => {
    await scratch.install(scratch.bundle('look', PARTS), { runtimes: ['claude'] })
    const file = scratch.path('home/.claude/skills/gsd-look/SKILL.md')
    rmSync(file)
    expect((await doctorIn(scratch.testContext().context)).findings.map(({ code }) => code)).toContain('STATE_DRIFT')
    await syncIn(scratch.testContext().context)
    expect(existsSync(file)).toBe(true)
    expect(state()).toMatchObject([{ ok: true }])
  })

  test('are removed by disable and revoke, and restored by enable and grant', async () => {
    const request = { scope: 'project', runtimes: ['claude'] } as const
    await scratch.install(scratch.bundle('look', PARTS), request)
    const file = 'project/.claude/skills/gsd-look/SKILL.md'
    const { context } = scratch.testContext()
    await setEnabledIn(context, 'disabled', 'look', { scope: 'project' })
    expect(exists(file)).toBe(false)
    await setEnabledIn(context, 'enabled', 'look', { scope: 'project' })
    expect(exists(file)).toBe(true)
    await revokeIn(context, 'look')
    expect(exists(file)).toBe(false)
    await grantIn(context, 'look')
    expect(scratch.text(file)).toContain('name: gsd-look\n')
  })

  test('in a folder that two hosts share exist once, until both are unwired', async () => {
    mkdirSync(scratch.path('home/.agents/skills'), { recursive: true })
    const bundle = scratch.bundle('look', { ...PARTS, manifest: { ...PARTS.manifest, agents: [] } })
    const before = scratch.tree()
    await scratch.install(bundle, { runtimes: ['codex', 'kimi'] })
    const file = 'home/.agents/skills/gsd-look/SKILL.md'
    expect(exists(file)).toBe(true)
    expect(state()).toMatchObject([{ ok: true }])
    expect(await scratch.install(bundle)).toMatchObject({ unchanged: ['look'] })
    await scratch.remove('look', { runtime: 'codex' })
    expect(exists(file)).toBe(true)
    expect(state()).toMatchObject([{ ok: true }])
    await scratch.remove('look', { runtime: 'kimi' })
    expect(exists(file)).toBe(false)
    await scratch.install(bundle, { runtimes: ['codex', 'kimi'] })
    await scratch.remove('look')
    scratch.expectTree(before)
  })

  test('are not redirected out of a project by a link in it', async () => {
    const bundle = scratch.bundle('look', PARTS)
    mkdirSync(scratch.path('project/.claude'))
    symlinkSync('../../home', scratch.path('project/.claude/skills'))
    const error = await scratch.refused(() => scratch.install(bundle, { scope: 'project', runtimes: ['claude'] }))
    expect(error.code).toBe('HOST_LINKED')
  })

  test('keep the execute permission of the files of a skill, and omit those that are not text', async () => {
    const files = {
      ...PARTS.files,
      'skills/look/run.sh': '#!/bin/sh\n',
      'skills/look/logo.png': Buffer.from([0x89, 0xff]),
    }
    const bundle = scratch.bundle('look', { ...PARTS, files })
    scratch.put('bundles/look/skills/look/run.sh', '#!/bin/sh\n', 0o755)
    const { installed } = await scratch.install(bundle, { runtimes: ['claude'] })
    expect(statSync(scratch.path('home/.claude/skills/gsd-look/run.sh')).mode & 0o100).toBe(0o100)
    expect(installed[0]?.notWired).toEqual([
      { runtime: 'claude', reason: expect.stringContaining('"skills/look/logo.png" is not text') },
    ])
  })
})

describe('a host', () => {
  test('recorded with nothing to write is in order, and gets later parts', async () => {
    const bundle = scratch.bundle('plain', { manifest: { hooks: [] } })
    await scratch.install(bundle, { runtimes: ['claude'] })
    expect(state()).toMatchObject([{ ok: true, hosts: [] }])
    scratch.bundle('plain', { manifest: { version: '1.1.0' } })
    await updateIn(scratch.testContext().context, 'plain')
    expect(state()).toMatchObject([{ ok: true, hosts: [{ runtime: 'claude' }] }])
  })

  test('whose files were all deleted is wired again by doctor --fix, and unwired by remove without a warning', async () => {
    await scratch.install(scratch.bundle('guard'), { runtimes: ['claude'] })
    rmSync(scratch.path('home/.claude'), { recursive: true })
    await fixIn(scratch.testContext().context)
    expect(readFileSync(scratch.settings, 'utf8')).toContain('run.sh')
    rmSync(scratch.path('home/.claude'), { recursive: true })
    expect(await scratch.remove('guard')).toMatchObject({ removed: [{ id: 'guard' }] })
    expect(exists('home/.claude')).toBe(false)
  })
})

describe('MCP servers of a capability', () => {
  const SERVERS = {
    local: { command: './bin/serve', args: ['--x'], cwd: '.', env: { A: 'b' } },
    far: { type: 'http', url: 'https://example.org/mcp' },
  }
  const bundle = (rest: Record<string, unknown> = {}): string => {
    const dir = scratch.bundle('tools', {
      manifest: { hooks: [], mcpServers: SERVERS, ...rest },
      files: { 'hooks/run.sh': null, 'bin/serve': '#!/bin/sh\n' },
    })
    scratch.put('bundles/tools/bin/serve', '#!/bin/sh\n', 0o755)
    return dir
  }
  const dirIn = (scope: string): string => scratch.path(scope, '.gsd/capabilities/tools')

  test('go into the user file globally and .mcp.json in a project, and are removed without a trace', async () => {
    scratch.put('home/.claude.json', '{"numStartups":3,"mcpServers":{"mine":{"command":"mine"}}}', 0o600)
    const source = bundle()
    const before = scratch.tree()
    await scratch.install(source, { runtimes: ['claude'] })
    expect(JSON.parse(home('.claude.json'))).toEqual({
      numStartups: 3,
      mcpServers: {
        mine: { command: 'mine' },
        // Claude has no working directory for a server, so a shell changes to it.
        local: {
          command: 'sh',
          args: ['-c', 'cd "$1" && shift && exec "$@"', 'sh', dirIn('home'), `${dirIn('home')}/bin/serve`, '--x'],
          env: { A: 'b' },
        },
        far: SERVERS.far,
      },
    })
    await scratch.remove('tools')
    scratch.expectTree(before)
    await scratch.install(source, { scope: 'project', runtimes: ['claude', 'cursor', 'codex'] })
    for (const file of ['.mcp.json', '.cursor/mcp.json', '.codex/config.toml'])
      expect(scratch.text(`project/${file}`)).toContain(`${dirIn('project')}/bin/serve`)
    expect(state()).toMatchObject([{ ok: true }])
    await scratch.remove('tools', { scope: 'project' })
    scratch.expectTree(before)
  })

  test('are removed by disable and restored by enable; a changed one replaces the previous one', async () => {
    await scratch.install(bundle(), { runtimes: ['cursor'] })
    const { context } = scratch.testContext()
    await setEnabledIn(context, 'disabled', 'tools')
    expect(exists('home/.cursor/mcp.json')).toBe(false)
    await setEnabledIn(context, 'enabled', 'tools')
    bundle({ version: '2.0.0', mcpServers: { local: { command: 'npx' } } })
    await updateIn(context, 'tools')
    expect(JSON.parse(home('.cursor/mcp.json'))).toEqual({ mcpServers: { local: { command: 'npx' } } })
  })

  test('are left out under a name that the user or another capability has; with --strict nothing is written', async () => {
    const source = bundle()
    scratch.put('home/.claude.json', '{\n  "mcpServers": { "far": {} }\n}')
    const error = await scratch.refused(() => scratch.install(source, { runtimes: ['claude'], strict: true }))
    expect(error).toMatchObject({ code: 'HOST_SERVER_NAME', exitStatus: 3, details: { line: 2, server: 'far' } })
    const { installed } = await scratch.install(source, { runtimes: ['claude', 'cursor'] })
    expect(installed[0]?.notWired).toMatchObject([{ runtime: 'claude', reason: expect.stringContaining('"far"') }])
    const { far, ...rest } = JSON.parse(scratch.text('home/.claude.json')).mcpServers
    expect(far).toEqual({})
    expect(Object.keys(rest)).toEqual(Object.keys(SERVERS).filter((name) => name !== 'far'))
    const other = scratch.bundle('other', { manifest: { hooks: [], mcpServers: { far: SERVERS.far } } })
    const second = await scratch.install(other, { runtimes: ['cursor'] })
    expect(second.installed[0]).toMatchObject({ wired: [], notWired: [{ runtime: 'cursor' }] })
  })

  test('are skipped in a host without MCP support, and this is reported', async () => {
    const { installed } = await scratch.install(bundle(), { runtimes: ['windsurf'] })
    expect(installed[0]).toMatchObject({
      wired: [],
      notWired: [{ runtime: 'windsurf', reason: expect.stringContaining('MCP') }],
    })
  })
})

describe('hooks that the user moved to another file of the same host', () => {
  const SHARED = 'project/.claude/settings.json'
  const request = { scope: 'project', runtimes: ['claude'] } as const
  const moved = async (): Promise<string> => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, request)
    scratch.put(SHARED, readFileSync(scratch.projectSettings, 'utf8'))
    writeFileSync(scratch.projectSettings, '{}\n')
    return bundle
  }

  test('stay there when the same is installed again, and are not written twice', async () => {
    const bundle = await moved()
    const shared = scratch.text(SHARED)
    await scratch.install(bundle, request)
    expect(scratch.text(SHARED)).toBe(shared)
    expect(exists('project/.claude/settings.local.json')).toBe(false)
    expect(state()).toMatchObject([{ ok: true, hosts: [{ file: scratch.path(SHARED) }] }])
    await scratch.remove('guard', { scope: 'project' })
    expect(scratch.text(SHARED)).not.toContain('run.sh')
  })

  test('are removed from it, although no record names that file', async () => {
    await moved()
    const { unwired } = await scratch.remove('guard', { scope: 'project' })
    expect(unwired.map(({ file }) => file)).toContain(scratch.path(SHARED))
    expect(scratch.text(SHARED)).not.toContain('run.sh')
  })
})
