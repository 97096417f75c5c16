import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { leavesProject } from '../../src/host/edit/project-links.ts'
import { verify } from '../../src/operation/verify.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { doctorIn, fixIn, installIn, revokeIn, setEnabledIn, syncIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'
import { treeOf } from '../helpers/tree.ts'

const scratch = useScratch()
const PROJECT = { scope: 'project', runtimes: ['claude'] } as const
const context = () => scratch.testContext().context

const PARTS = {
  manifest: {
    skills: ['look'],
    agents: ['checker'],
    mcpServers: { notes: { command: 'node', args: ['${GSD_CAPABILITY_DIR}/server.js'] } },
  },
  files: {
    'server.js': '//\n',
    'skills/look/SKILL.md': '---\nname: look\ndescription: Looks.\n---\nLook.\n',
    'agents/checker.md': '---\nname: checker\ndescription: Checks.\n---\nCheck.\n',
  },
}

/** Makes a link in the project; the folders above it are made. */
const link = (target: string, replaceManifest: string): void => {
  const file = scratch.path('project', replaceManifest)
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(target, file)
}

/** What the user has outside of the project, with the global settings. */
const outside = (): string[] => treeOf(scratch.home, { without: ['.gsd'] })

const prepareHome = (): void => {
  scratch.put('home/.claude/settings.json', '{"model":"opus"}\n')
  scratch.put('home/.claude/skills/mine/SKILL.md', 'mine\n')
  scratch.put('home/.claude.json', '{}\n')
}

/** Every way in which a link of a project leads one of Claude Code's files out of it. */
const LINKS: readonly (readonly [what: string, make: () => void])[] = [
  ['the settings file', () => link(scratch.settings, '.claude/settings.local.json')],
  ['the settings file, relatively', () => link('../../home/.claude/settings.json', '.claude/settings.local.json')],
  ['the folder of the settings', () => link(join(scratch.home, '.claude'), '.claude')],
  [
    'a chain of links within the project, the last of which leaves it',
    () => {
      link(scratch.settings, 'a.json')
      link('../a.json', 'b/b.json')
      link('../b/b.json', '.claude/settings.local.json')
    },
  ],
  [
    'a link to a file outside that does not exist',
    () => link(scratch.path('home/new.json'), '.claude/settings.local.json'),
  ],
  ['a link to a folder outside that does not exist', () => link(scratch.path('home/new'), '.claude')],
  ['a link to nothing in the project', () => link('nothing.json', '.claude/settings.local.json')],
  ['a link to itself', () => link('settings.local.json', '.claude/settings.local.json')],
  ['the MCP file', () => link(scratch.path('home/.claude.json'), '.mcp.json')],
  ['the folder of skills', () => link(join(scratch.home, '.claude/skills'), '.claude/skills')],
  ['the folder of agents', () => link(join(scratch.home, '.claude'), '.claude/agents')],
  ['a placed file', () => link(scratch.path('home/.claude/skills/mine/SKILL.md'), '.claude/agents/gsd-checker.md')],
]

describe('a link of a project that leads a file of a host out of it', () => {
  test.each(LINKS)('refuses an install, which changes nothing: %s', async (_what, make) => {
    prepareHome()
    make()
    const bundle = scratch.bundle('guard', PARTS)
    const error = await scratch.refused(() => scratch.install(bundle, { ...PROJECT, force: true }))
    expect(error).toMatchObject({ code: 'HOST_LINKED', exitStatus: 3, details: { file: expect.any(String) } })
  })

  test.each([
    ['codex', '.codex/config.toml', 'home/.codex/config.toml'],
    ['codex', '.codex/hooks.json', 'home/.codex/hooks.json'],
    ['cursor', '.cursor/hooks.json', 'home/.cursor/hooks.json'],
    ['cursor', '.cursor/mcp.json', 'home/.cursor/mcp.json'],
  ])('refuses an install into %s at %s', async (runtime, replaceManifest, target) => {
    scratch.put(target, '')
    link(scratch.path(target), replaceManifest)
    const bundle = scratch.bundle('guard', PARTS)
    const error = await scratch.refused(() => scratch.install(bundle, { ...PROJECT, runtimes: [runtime], force: true }))
    expect(error).toMatchObject({ code: 'HOST_LINKED' })
  })

  test.each(LINKS)(
    'is reported by update, sync, enable, verify, doctor, disable and remove: %s',
    async (_what, make) => {
      prepareHome()
      const bundle = scratch.bundle('guard', PARTS)
      await scratch.install(bundle, PROJECT)
      const before = outside()
      rmSync(scratch.path('project/.claude'), { recursive: true })
      rmSync(scratch.path('project/.mcp.json'))
      make()

      const [row] = verify(context(), { ids: [], scope: 'project' }).capabilities
      expect(row).toMatchObject({ ok: false, files: { changed: [], missing: [] } })
      expect(row?.hosts.map(({ state }) => state)).toContain('linked')
      const { findings } = await doctorIn(context())
      expect(findings.filter(({ hint }) => hint?.includes('remove the link'))).not.toEqual([])

      const synced = await syncIn(context(), { scope: 'project' })
      expect(synced.warnings.map(({ code }) => code)).toContain('HOST_LINKED')
      scratch.bundle('guard', { ...PARTS, manifest: { ...PARTS.manifest, version: '2.0.0' } })
      await expect(updateIn(context(), 'guard', { scope: 'project' })).rejects.toMatchObject({ code: 'HOST_LINKED' })

      const disabled = await setEnabledIn(context(), 'disabled', 'guard', { scope: 'project' })
      expect(disabled.warnings.map(({ code }) => code)).toContain('HOST_LINKED')
      const enabled = await setEnabledIn(context(), 'enabled', 'guard', { scope: 'project' })
      expect(enabled.warnings.map(({ code }) => code)).toContain('HOST_LINKED')
      const revoked = await revokeIn(context(), 'guard')
      expect(revoked.warnings.map(({ code }) => code)).not.toContain('STATE_INTERRUPTED')
      await scratch.remove('guard', { scope: 'project' })
      expect(outside()).toEqual(before)
      expect((await scratch.list()).rows.filter(({ id }) => id === 'guard')).toEqual([])
    },
  )

  test('is followed where it stays in the project', async () => {
    mkdirSync(scratch.path('project/config'))
    link('config', '.claude')
    const bundle = scratch.bundle('guard', PARTS)
    await scratch.install(bundle, PROJECT)
    expect(scratch.text('project/config/settings.local.json')).toContain('run.sh')
    expect(verify(context(), { ids: [], scope: 'project' }).capabilities).toMatchObject([{ ok: true }])
    await scratch.remove('guard', { scope: 'project' })
  })

  test('is followed in the global scope, from wherever the command runs', async () => {
    scratch.put('dotfiles/settings.json', '{}\n')
    mkdirSync(dirname(scratch.settings), { recursive: true })
    symlinkSync(scratch.path('dotfiles/settings.json'), scratch.settings)
    await scratch.install(scratch.bundle('guard'), { runtimes: ['claude'] })
    expect(scratch.text('dotfiles/settings.json')).toContain('run.sh')
  })

  test('does not stop a project that is itself reached by a link', async () => {
    symlinkSync(scratch.project, scratch.path('work'))
    const options = { cwd: scratch.path('work') }
    await scratch.install(scratch.bundle('guard'), PROJECT, options)
    expect(readFileSync(scratch.projectSettings, 'utf8')).toContain('run.sh')
    await scratch.remove('guard', { scope: 'project' }, options)
  })
})

describe("a link in place of one of the program's own folders", () => {
  const FOLDERS = ['receipts', 'kept', '.staging', '.trash', 'capabilities']

  describe.each(['project', 'global'] as const)('in the %s scope', (scope) => {
    const gsd = (): string => scratch.path(scope === 'project' ? 'project' : 'home', '.gsd')

    test.each(FOLDERS)('is reported by doctor with what to do, and no change is made: %s', async (name) => {
      await scratch.install(scratch.bundle('other'), { scope })
      const folder = join(gsd(), name)
      scratch.put('outside/0-0123456789ab/file', 'x')
      rmSync(folder, { recursive: true, force: true })
      symlinkSync(scratch.path('outside'), folder)
      const { findings } = await doctorIn(context())
      expect(findings.filter(({ code, file }) => code === 'STATE_LINKED' && file === folder)).toMatchObject([
        { scope, remedy: 'hand', hint: expect.stringContaining('rm ') },
      ])
      const bundle = scratch.bundle('guard')
      const error = await scratch.refused(() => scratch.install(bundle, { scope }))
      expect(error).toMatchObject({ code: 'STATE_LINKED', exitStatus: 4, hint: expect.stringContaining('rm ') })
      await fixIn(context())
      expect(scratch.text('outside/0-0123456789ab/file')).toBe('x')
    })

    test('that leads nowhere is reported as well', async () => {
      mkdirSync(gsd(), { recursive: true })
      symlinkSync('nowhere', join(gsd(), 'kept'))
      const { findings } = await doctorIn(context())
      expect(findings).toMatchObject([{ code: 'STATE_LINKED', scope }])
    })

    test('and a file there is reported as a file', async () => {
      mkdirSync(gsd(), { recursive: true })
      writeFileSync(join(gsd(), 'receipts'), '')
      const { findings } = await doctorIn(context())
      expect(findings).toMatchObject([{ code: 'STATE_NOT_A_FILE', scope }])
    })
  })
})

describe('a folder of the project that is swapped for a link while an operation runs', () => {
  /** A disk on which the settings' folder becomes a link to the home's right after a rename onto a path with this end. */
  const swappingDisk = (end: string): Disk => {
    let swapped = false
    return {
      ...realDisk,
      renameSync: (from, to) => {
        realDisk.renameSync(from, to)
        if (swapped || !to.endsWith(end)) return
        swapped = true
        renameSync(scratch.path('project/.claude'), scratch.path('project/.claude-before'))
        symlinkSync(join(scratch.home, '.claude'), scratch.path('project/.claude'))
      },
    }
  }

  test.each(['.journal.json', 'capabilities/guard', 'receipts/guard.json'])(
    'leads nothing out of the project, and the operation is undone: after %s was written',
    async (end) => {
      prepareHome()
      scratch.put('project/.claude/settings.local.json', '{}\n')
      const bundle = scratch.bundle('guard', PARTS)
      const before = outside()
      const { context: racing } = scratch.testContext({ disk: swappingDisk(end) })
      await expect(installIn(racing, bundle, PROJECT)).rejects.toMatchObject({ code: 'HOST_LINKED' })
      expect(outside()).toEqual(before)
      expect((await doctorIn(context())).findings.filter(({ code }) => code === 'STATE_INTERRUPTED')).toEqual([])
      expect((await scratch.list()).rows.filter(({ id }) => id === 'guard')).toEqual([])
    },
  )
})

describe('a folder of .gsd that is swapped for a link while an operation runs', () => {
  test('receives nothing outside of the project', async () => {
    const bundle = scratch.bundle('guard')
    mkdirSync(scratch.path('outside'))
    const disk: Disk = {
      ...realDisk,
      renameSync: (from, to) => {
        realDisk.renameSync(from, to)
        if (!to.endsWith('.journal.json')) return
        rmSync(scratch.path('project/.gsd/capabilities'), { recursive: true, force: true })
        symlinkSync(scratch.path('outside'), scratch.path('project/.gsd/capabilities'))
      },
    }
    const racing = scratch.testContext({ disk }).context
    await expect(installIn(racing, bundle, PROJECT)).rejects.toMatchObject({ code: 'STATE_LINKED' })
    expect(treeOf(scratch.path('outside'))).toEqual([])
  })
})

describe('a hard link in a project', () => {
  test.each(['.claude/settings.local.json', '.mcp.json', '.claude/agents/gsd-checker.md'])(
    'that shares a file with the home refuses an install: %s',
    async (replaceManifest) => {
      prepareHome()
      mkdirSync(dirname(scratch.path('project', replaceManifest)), { recursive: true })
      linkSync(scratch.settings, scratch.path('project', replaceManifest))
      const bundle = scratch.bundle('guard', PARTS)
      const error = await scratch.refused(() => scratch.install(bundle, PROJECT))
      expect(error).toMatchObject({ code: 'HOST_SETTINGS_FILE', message: expect.stringContaining('hard links') })
    },
  )
})

describe('a checkout without links', () => {
  test.each(['.claude', '.claude/settings.local.json'])(
    'has a text with the target in place of a link, which is no folder and no settings: %s',
    async (replaceManifest) => {
      scratch.put(join('project', replaceManifest), '../home/.claude')
      const bundle = scratch.bundle('guard')
      const error = await scratch.refused(() => scratch.install(bundle, PROJECT))
      expect(error.code).toMatch(/^HOST_SETTINGS_/)
    },
  )
})

describe('whether a path leaves a project', () => {
  const PROJECT_ROOT = { scope: 'project', root: '/home/me/Work', realRoot: '/disk/work' } as const
  test.each([
    ['/home/me/Work/.mcp.json', '/disk/work/.mcp.json', false],
    ['/home/me/Work/.mcp.json', '/home/me/.mcp.json', true],
    ['/home/me/Work/.mcp.json', '/disk/work2/.mcp.json', true],
    ['/home/me/Work/.mcp.json', '/disk/work', true],
    ['/disk/work/.mcp.json', '/disk/other/.mcp.json', true],
    // As a file system without case, or one that decomposes names, hands them out.
    ['/HOME/ME/WORK/.claude/settings.json', '/home/me/.claude/settings.json', true],
    ['/home/me/work/.claude/settings.json', '/home/me/.claude/settings.json', true],
    // A file that the user names outside of the project is no link of the project.
    ['/home/me/Work2/.mcp.json', '/anywhere', false],
    ['/home/me/.claude/settings.json', '/dotfiles/settings.json', false],
  ])('%s, really %s: %s', (named, real, leaves) => {
    expect(leavesProject(named, real, PROJECT_ROOT)).toBe(leaves)
    expect(leavesProject(named, real, { ...PROJECT_ROOT, scope: 'global' })).toBe(false)
  })

  test('compares letters that are one letter composed and decomposed as one', () => {
    const roots = { scope: 'project', root: '/caf\u00e9', realRoot: '/caf\u00e9' } as const
    expect(leavesProject('/cafe\u0301/.mcp.json', '/home/.mcp.json', roots)).toBe(true)
  })
})
