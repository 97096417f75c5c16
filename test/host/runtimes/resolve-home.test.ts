import { describe, expect, it } from 'vitest'
import { hookFileFor } from '../../../src/host/runtimes/config-files.ts'
import { getDirName, requireBuiltInRuntime } from '../../../src/host/runtimes/known-hosts.ts'
import { resolveHome } from '../../../src/host/runtimes/resolve-home.ts'
import { codeOf, hintOf } from '../../helpers/thrown.ts'

const homeOf = (id: string, env: Record<string, string> = {}, installed: readonly string[] = []): string =>
  resolveHome(requireBuiltInRuntime(id).configHome, {
    env,
    home: '/home/u',
    exists: (path) => installed.includes(path),
  })

const place = (id: string, scope: 'global' | 'project', env: Record<string, string> = {}): unknown =>
  hookFileFor(
    requireBuiltInRuntime(id),
    { scope, root: scope === 'project' ? '/p' : '/home/u' },
    { env, home: '/home/u', exists: () => false, id: 'guard', event: 'PreToolUse' },
  )

describe('the home of a host', () => {
  it.each([
    ['claude', '/home/u/.claude'],
    ['opencode', '/home/u/.config/opencode'],
    ['kilo', '/home/u/.config/kilo'],
    ['antigravity', '/home/u/.gemini/antigravity'],
    ['windsurf', '/home/u/.codeium/windsurf'],
    ['kimi', '/home/u/.config/agents'],
    ['kimi-code', '/home/u/.kimi-code'],
    ['pi', '/home/u/.pi/agent'],
  ])('of %s is %s by default', (id, home) => {
    expect(homeOf(id)).toBe(home)
  })

  it("is the value of its variable, with a leading ~ as the user's home, and not trimmed", () => {
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: '/etc/claude' })).toBe('/etc/claude')
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: '~/c' })).toBe('/home/u/c')
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: '~' })).toBe('/home/u')
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: '~other/c' })).toBe('~other/c')
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: ' /c ' })).toBe(' /c ')
    expect(homeOf('windsurf', { WINDSURF_CONFIG_DIR: '/w' })).toBe('/w')
    expect(homeOf('kimi', { KIMI_CONFIG_DIR: '/k' })).toBe('/k')
  })

  it('ignores a blank variable', () => {
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: '' })).toBe('/home/u/.claude')
    expect(homeOf('claude', { CLAUDE_CONFIG_DIR: ' \t' })).toBe('/home/u/.claude')
  })

  it('of an xdg host is a folder, the folder of a file, or below XDG_CONFIG_HOME, in that order', () => {
    const all = { OPENCODE_CONFIG_DIR: '/dir', OPENCODE_CONFIG: '/file/opencode.json', XDG_CONFIG_HOME: '~/xdg' }
    expect(homeOf('opencode', all)).toBe('/dir')
    expect(homeOf('opencode', { ...all, OPENCODE_CONFIG_DIR: ' ' })).toBe('/file')
    expect(homeOf('opencode', { XDG_CONFIG_HOME: '~/xdg' })).toBe('/home/u/xdg/opencode')
  })

  it('of a nested host is the folder with the marker file, else one that exists, else the first', () => {
    const ide = '/home/u/.gemini/antigravity-ide'
    const cli = '/home/u/.gemini/antigravity-cli'
    expect(homeOf('antigravity', {}, [ide, cli, `${cli}/gsd-core/VERSION`])).toBe(cli)
    expect(homeOf('antigravity', {}, [ide, cli])).toBe(ide)
  })

  it('of a generic root is the one that contains the marker file, not one that merely exists', () => {
    expect(homeOf('kimi', {}, ['/home/u/.agents'])).toBe('/home/u/.config/agents')
    expect(homeOf('kimi', {}, ['/home/u/.agents/skills'])).toBe('/home/u/.agents')
  })

  it('comes from the variable that the host was observed to use', () => {
    expect(homeOf('copilot', { COPILOT_CONFIG_DIR: '/a', COPILOT_HOME: '/b' })).toBe('/b')
    expect(homeOf('qwen', { QWEN_CONFIG_DIR: '/a', QWEN_HOME: '/b' })).toBe('/b')
  })

  it('does not exist for a host without one', () => {
    expect(codeOf(() => homeOf('vscode'))).toBe('HOST_NO_SURFACE')
  })
})

describe('a host given by name', () => {
  it('is never another one: an unknown name is refused with the nearest', () => {
    expect(codeOf(() => requireBuiltInRuntime('cluade'))).toBe('HOST_UNKNOWN_RUNTIME')
    expect(hintOf(() => requireBuiltInRuntime('cluade'))).toContain('did you mean claude?')
    expect(codeOf(() => requireBuiltInRuntime('gemini'))).toBe('HOST_UNKNOWN_RUNTIME')
    expect(codeOf(() => requireBuiltInRuntime('constructor'))).toBe('HOST_UNKNOWN_RUNTIME')
  })

  it('has a folder of its own in a project', () => {
    expect(['claude', 'copilot', 'antigravity', 'kimi', 'kimi-code', 'vscode'].map(getDirName)).toEqual([
      '.claude',
      '.github',
      '.agents',
      '.kimi-code',
      '.kimi-code',
      null,
    ])
  })
})

describe('the file a host reads its hooks from', () => {
  it.each([
    ['claude', 'settings-json', '/home/u/.claude/settings.json', '/p/.claude/settings.local.json'],
    ['codex', 'codex-hooks-json', '/home/u/.codex/hooks.json', '/p/.codex/hooks.json'],
    ['cursor', 'cursor-hooks-json', '/home/u/.cursor/hooks.json', '/p/.cursor/hooks.json'],
    ['copilot', 'copilot-inline', '/home/u/.copilot/hooks/gsd-guard.json', '/p/.github/hooks/gsd-guard.json'],
    ['windsurf', 'windsurf-hooks-json', '/home/u/.codeium/windsurf/hooks.json', '/p/.windsurf/hooks.json'],
    ['augment', 'settings-json', '/home/u/.augment/settings.json', '/p/.augment/settings.local.json'],
    ['qwen', 'settings-json', '/home/u/.qwen/settings.json', '/p/.qwen/settings.json'],
    ['codebuddy', 'settings-json', '/home/u/.codebuddy/settings.json', '/p/.codebuddy/settings.local.json'],
    ['cline', 'cline-rules', '/home/u/Documents/Cline/Hooks/PreToolUse', '/p/.clinerules/hooks/PreToolUse'],
  ])('for %s (%s) is %s, in a project %s', (id, surface, global, project) => {
    expect(place(id, 'global')).toEqual({ file: global, surface })
    expect(place(id, 'project')).toEqual({ file: project, surface })
  })

  it('is in the separate home that Kimi keeps for hooks, and in no project', () => {
    expect(place('kimi', 'global')).toEqual({ file: '/home/u/.kimi/config.toml', surface: 'kimi-hooks-toml' })
    expect(place('kimi', 'global', { KIMI_SHARE_DIR: '~/share' })).toMatchObject({ file: '/home/u/share/config.toml' })
    expect(place('kimi-code', 'global', { KIMI_CODE_HOME: '/k' })).toMatchObject({ file: '/k/config.toml' })
    expect(place('kimi', 'project')).toEqual({ reason: 'Kimi CLI reads no hooks from a project' })
  })

  it('follows the override of the home', () => {
    expect(place('claude', 'global', { CLAUDE_CONFIG_DIR: '/c' })).toMatchObject({ file: '/c/settings.json' })
  })

  it.each(['opencode', 'kilo', 'trae', 'hermes', 'antigravity', 'pi', 'vscode', 'zcode'])(
    'does not exist for %s, with the reason',
    (id) => {
      expect(place(id, 'global')).toEqual({ reason: expect.stringMatching(/\w+ \w+/) })
    },
  )
})
