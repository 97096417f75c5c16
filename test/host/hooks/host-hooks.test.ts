import { describe, expect, it } from 'vitest'
import { hostEventsFor, hostHooks, type HostHooks } from '../../../src/host/hooks/host-hooks.ts'
import { RUNTIMES } from '../../../src/host/runtimes/built-in-runtimes.ts'
import { findDoubleReads, requireBuiltInRuntime } from '../../../src/host/runtimes/known-hosts.ts'
import { SURFACES } from '../../../src/host/surfaces/surfaces.ts'
import type { FeatureManifest, Hook } from '../../../src/manifest/manifest.ts'
import { capabilityWith } from '../../helpers/feature-manifest.ts'
import { codeOf, thrownBy } from '../../helpers/thrown.ts'

const manifest = (hooks: readonly Hook[], rest: Partial<FeatureManifest> = {}): FeatureManifest =>
  capabilityWith('guard', hooks, rest)

const FILES = [
  { path: 'hooks/run.sh', shebang: true },
  { path: 'hooks/run.js', shebang: false },
]
const translated = (hooks: readonly Hook[], runtime: string): HostHooks =>
  hostHooks(manifest(hooks), requireBuiltInRuntime(runtime), {
    dir: '/home/u/.gsd/capabilities/guard',
    files: FILES,
  })
const wired = (hooks: readonly Hook[], runtime: string): unknown => translated(hooks, runtime).hooks
const timeoutIn = (runtime: string, timeout: number): unknown =>
  wired([{ event: 'PreToolUse', script: 'hooks/run.sh', timeout }], runtime)

const names = (runtime: string, event: string): readonly string[] =>
  hostEventsFor(event, requireBuiltInRuntime(runtime))

const call = (compat: FeatureManifest['runtimeCompat']): unknown =>
  hostHooks(manifest([], { runtimeCompat: compat }), requireBuiltInRuntime('codex'), { dir: '/x', files: [] })

const pairs = (scope: 'global' | 'project', ...ids: string[]): unknown =>
  findDoubleReads(ids.map(requireBuiltInRuntime), scope).map(({ reader, owner }) => [reader, owner])

describe('the hooks of a capability', () => {
  it('are written for Claude as the manifest names them, with matcher, timeout and absolute command', () => {
    expect(
      wired(
        [
          { event: 'PreToolUse', script: 'hooks/run.sh', matcher: 'Bash', timeout: 1.5 },
          { event: 'Stop', script: 'hooks/run.js' },
        ],
        'claude',
      ),
    ).toEqual([
      {
        event: 'PreToolUse',
        matcher: 'Bash',
        command: "'/home/u/.gsd/capabilities/guard/hooks/run.sh'",
        timeout: 1.5,
        script: '/home/u/.gsd/capabilities/guard/hooks/run.sh',
      },
      {
        event: 'Stop',
        command: "node '/home/u/.gsd/capabilities/guard/hooks/run.js'",
        script: '/home/u/.gsd/capabilities/guard/hooks/run.js',
      },
    ])
  })

  it('are written once, however often the manifest repeats them', () => {
    const hook: Hook = { event: 'Stop', script: 'hooks/run.sh' }
    expect(wired([hook, hook], 'claude')).toHaveLength(1)
  })

  it('get the names of the host, several where it splits an event', () => {
    expect(names('cursor', 'UserPromptSubmit')).toEqual(['beforeSubmitPrompt'])
    expect(names('copilot', 'Stop')).toEqual(['Stop'])
    expect(names('copilot', 'agentStop')).toEqual(['agentStop'])
    expect(names('windsurf', 'PreToolUse')).toEqual([
      'pre_write_code',
      'pre_run_command',
      'pre_read_code',
      'pre_mcp_tool_use',
    ])
    expect(names('cursor', 'beforeShellExecution')).toEqual(['beforeShellExecution'])
    expect(names('claude', 'TaskCompleted')).toEqual(['TaskCompleted'])
    expect(names('cline', 'PreCompact')).toEqual([])
    expect(names('claude', 'constructor')).toEqual([])
    expect(names('claude', '__proto__')).toEqual([])
  })

  it('are left out one by one where the host has no such event, and the nearest event is named', () => {
    const hooks = [
      { event: 'Stop', script: 'hooks/run.sh' },
      { event: 'Sotp', script: 'hooks/run.sh' },
    ]
    const { hooks: rest, leftOut } = translated(hooks, 'claude')
    expect(rest).toMatchObject([{ event: 'Stop' }])
    expect(leftOut).toMatchObject([
      { code: 'HOST_UNKNOWN_EVENT', reason: expect.stringContaining('"Sotp"'), details: { event: 'Sotp' } },
    ])
    expect(leftOut[0]?.reason).toContain('the nearest is "Stop"')
    expect(translated([{ event: 'Notification', script: 'hooks/run.sh' }], 'codex')).toMatchObject({
      hooks: [],
      leftOut: [{ code: 'HOST_UNKNOWN_EVENT' }],
    })
  })

  it.each([
    ['claude', 1.5, 1.5],
    ['codex', 1.5, 2],
    ['codex', 0.2, 1],
    ['cursor', 30, 30],
    ['augment', 1.5, 1500],
    ['qwen', 10, 10_000],
    ['qwen', 0.5, 1000],
    ['kimi-code', 900, 600],
    ['kimi-code', 0.5, 1],
    ['codebuddy', 90, 60],
  ])('have their timeout in the unit of %s: %d seconds are %d', (runtime, seconds, expected) => {
    expect(timeoutIn(runtime, seconds)).toMatchObject([{ timeout: expected }])
  })

  it.each([
    ['cursor', 'Bash|Edit|Write', 'Shell|Write'],
    ['qwen', 'Bash', 'run_shell_command'],
    ['qwen', '^(Write|Edit)$', 'write_file|edit'],
    ['augment', 'Bash|mcp__x__y', 'launch-process|mcp__x__y'],
    ['kimi', 'Bash|Custom', 'Shell|Custom'],
    ['qwen', String.raw`Bash|mcp__.*\bEdit`, String.raw`run_shell_command|mcp__.*\bEdit`],
    ['copilot', 'Bash', 'Bash'],
    ['claude', 'Bash|Edit', 'Bash|Edit'],
    ['kimi-code', 'Bash', 'Bash'],
  ])('name tools in a matcher as %s does: %s is %s', (runtime, matcher, expected) => {
    expect(wired([{ event: 'PreToolUse', script: 'hooks/run.sh', matcher }], runtime)).toMatchObject([
      { matcher: expected },
    ])
  })

  it('keep a matcher that is not about tools', () => {
    const hook: Hook = { event: 'SessionStart', script: 'hooks/run.sh', matcher: 'Read' }
    expect(wired([hook], 'qwen')).toMatchObject([{ matcher: 'Read' }])
  })

  it('run on the events of Windsurf that stand for the tools of the matcher', () => {
    const hook = (matcher: string): Hook => ({ event: 'PreToolUse', script: 'hooks/run.sh', matcher })
    expect(wired([hook('Bash')], 'windsurf')).toMatchObject([{ event: 'pre_run_command' }])
    expect(wired([hook('Write|Edit|Read')], 'windsurf')).toMatchObject([
      { event: 'pre_write_code' },
      { event: 'pre_read_code' },
    ])
    expect(wired([hook('Bash|Custom')], 'windsurf')).toEqual([])
  })

  it('have no timeout if the manifest states none or the host has none', () => {
    expect(wired([{ event: 'Stop', script: 'hooks/run.sh' }], 'qwen')).toEqual([
      expect.not.objectContaining({ timeout: expect.anything() }),
    ])
    expect(timeoutIn('windsurf', 5)).toEqual(
      Array.from({ length: 4 }, () => expect.not.objectContaining({ timeout: expect.anything() })),
    )
  })

  it('are left out of a host that would run a limited hook on everything', () => {
    const limited: Hook = { event: 'PreToolUse', script: 'hooks/run.sh', matcher: 'Bash' }
    expect(translated([limited], 'cline')).toMatchObject({ hooks: [], leftOut: [{ code: 'HOST_UNSUPPORTED' }] })
    expect(wired([{ ...limited, matcher: '.*' }], 'cline')).toEqual([
      expect.not.objectContaining({ matcher: expect.anything() }),
    ])
  })

  it.each(['Bash(?!Output)', '(?<=x)y', '(a)\\1', '(?<n>a)\\k<n>'])(
    'are left out for a matcher that Codex cannot compile: %s',
    (matcher) => {
      const hook: Hook = { event: 'PreToolUse', script: 'hooks/run.sh', matcher }
      expect(translated([hook], 'codex')).toMatchObject({ hooks: [], leftOut: [{ code: 'HOST_UNSUPPORTED' }] })
      expect(wired([hook], 'claude')).toMatchObject([{ matcher }])
    },
  )

  it('are refused for a script that the bundle lacks, and left out for one that Augment cannot run by its path', () => {
    expect(codeOf(() => wired([{ event: 'Stop', script: 'hooks/gone.sh' }], 'claude'))).toBe('HOST_SCRIPT')
    expect(translated([{ event: 'Stop', script: 'hooks/run.js' }], 'augment')).toMatchObject({
      hooks: [],
      leftOut: [{ code: 'HOST_SCRIPT' }],
    })
    expect(wired([{ event: 'Stop', script: 'hooks/run.sh' }], 'augment')).toMatchObject([
      { command: '/home/u/.gsd/capabilities/guard/hooks/run.sh' },
    ])
  })

  it('are refused for a host that the manifest excludes, with its note', () => {
    expect(codeOf(() => call({ supported: ['claude'], unsupported: [] }))).toBe('HOST_UNSUPPORTED')
    const error = thrownBy(() => call({ supported: ['*'], unsupported: ['codex'], notes: { codex: 'needs a shell' } }))
    expect(error.code).toBe('HOST_UNSUPPORTED')
    expect(error.message).toContain('needs a shell')
    expect(call({ supported: ['codex'], unsupported: [] })).toEqual({ hooks: [], leftOut: [] })
  })
})

describe('the table of runtimes', () => {
  it('has nineteen hosts with unique ids', () => {
    expect(RUNTIMES).toHaveLength(19)
    expect(new Set(RUNTIMES.map(({ id }) => id)).size).toBe(19)
  })

  it.each(RUNTIMES)(
    'maps events of $id to events it has, and gives the reason why or the file where it is wired',
    (runtime) => {
      for (const event of Object.values(runtime.claudeEvents).flat()) expect(runtime.events).toContain(event)
      expect(SURFACES).toHaveProperty([runtime.surface])
      expect(runtime.surface === 'none').toBe(runtime.noSurfaceReason !== undefined)
      expect(runtime.surface === 'none').toBe(runtime.files.global === null)
    },
  )
})

describe("hosts that read each other's files", () => {
  it('are reported as pairs when both are to be wired', () => {
    expect(pairs('project', 'claude', 'codex', 'qwen')).toEqual([])
    expect(pairs('project', 'cursor', 'copilot')).toEqual([])
    expect(pairs('project', 'claude', 'cursor', 'copilot')).toEqual([
      ['cursor', 'claude'],
      ['copilot', 'claude'],
    ])
  })

  it('are no pair in the home, where Copilot and Cursor read nothing of Claude Code', () => {
    expect(pairs('global', 'claude', 'cursor', 'copilot')).toEqual([])
  })
})
