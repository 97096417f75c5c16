import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/diagnostic.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const guard = (): string =>
  scratch.bundle('guard', { manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } })

const noticesOf = async (
  options: NonNullable<Parameters<typeof scratch.install>[1]>,
): Promise<readonly Pick<Diagnostic, 'code' | 'severity' | 'message' | 'hint' | 'file'>[]> => {
  const { warnings } = await scratch.install(guard(), options)
  return warnings.filter(({ code }) => ['HOST_HOOKS_OFF', 'HOST_TRUST_FIRST', 'HOST_RUNS_TWICE'].includes(code))
}

describe('an install says that hooks are switched off', () => {
  test.each([
    ['claude', 'global', 'home/.claude/settings.json', '{\n  // quiet\n  "disableAllHooks": true\n}\n'],
    ['claude', 'project', 'home/.claude/settings.json', '{"disableAllHooks": true}\n'],
    ['claude', 'project', 'project/.claude/settings.json', '{"disableAllHooks": true}\n'],
    ['qwen', 'global', 'home/.qwen/settings.json', '{"disableAllHooks": true}\n'],
    ['copilot', 'global', 'home/.copilot/settings.json', '{"disableAllHooks": true}\n'],
    ['codex', 'global', 'home/.codex/config.toml', '[features]\nhooks = false\n'],
    ['codex', 'project', 'project/.codex/config.toml', 'features.codex_hooks = false\n'],
  ] as const)('%s, %s scope, in %s', async (runtime, scope, file, text) => {
    scratch.put(file, text)
    const notices = await noticesOf({ scope, runtimes: [runtime] })
    expect(notices.filter(({ code }) => code === 'HOST_HOOKS_OFF')).toMatchObject([
      { severity: 'warning', file: expect.stringContaining(file), message: expect.stringMatching(/runs no hooks/) },
    ])
  })

  test.each([
    ['false', '{"disableAllHooks": false}\n'],
    ['a text', '{"disableAllHooks": "true"}\n'],
    ['inside another member', '{"env": {"disableAllHooks": true}}\n'],
    ['overridden by a later member of the same name', '{"disableAllHooks": true, "disableAllHooks": false}\n'],
  ])('but not for %s', async (_name, text) => {
    scratch.put('project/.claude/settings.json', text)
    expect(await noticesOf({ scope: 'project', runtimes: ['claude'] })).toEqual([])
  })

  test('and a settings file that cannot be parsed, into which nothing is written, does not stop it', async () => {
    scratch.put('project/.claude/settings.json', '{"disableAllHooks": tru')
    expect(await noticesOf({ scope: 'project', runtimes: ['claude'] })).toEqual([])
  })

  test('once: installing the same again says nothing', async () => {
    scratch.put('home/.claude/settings.json', '{"disableAllHooks": true}\n')
    expect(await noticesOf({ runtimes: ['claude'] })).toHaveLength(1)
    expect(await noticesOf({ runtimes: ['claude'] })).toEqual([])
  })
})

test.each([
  ['codex', 'global', '/hooks in Codex'],
  ['codex', 'project', 'a project you trust'],
  ['copilot', 'project', 'a folder you trust'],
  ['codebuddy', 'global', '/hooks in CodeBuddy'],
] as const)('an install into %s, %s scope, says that trust comes first: %s', async (runtime, scope, words) => {
  expect(await noticesOf({ scope, runtimes: [runtime] })).toMatchObject([
    { code: 'HOST_TRUST_FIRST', severity: 'info', message: expect.stringContaining(words) },
  ])
})

test('a capability without hooks needs no notice about hooks', async () => {
  scratch.put('home/.claude/settings.json', '{"disableAllHooks": true}\n')
  const bundle = scratch.bundle('quiet', { manifest: { hooks: [], mcpServers: { far: { command: 'npx' } } } })
  const { warnings } = await scratch.install(bundle, { runtimes: ['claude', 'codex'] })
  expect(warnings).toEqual([])
})

describe('a capability in the home and in a project', () => {
  test.each([
    ['global', 'project'],
    ['project', 'global'],
  ] as const)(
    'wired first in the %s scope, then in the %s scope, runs twice: one command removes one',
    async (first, second) => {
      expect(await noticesOf({ scope: first, runtimes: ['claude'] })).toEqual([])
      expect(await noticesOf({ scope: second, runtimes: ['claude'] })).toMatchObject([
        {
          code: 'HOST_RUNS_TWICE',
          severity: 'warning',
          hint: `to remove one: gsd capability remove guard --scope ${first} --runtime claude`,
        },
      ])
    },
  )

  test('in two different hosts runs once in each', async () => {
    await noticesOf({ scope: 'global', runtimes: ['claude'] })
    expect(await noticesOf({ scope: 'project', runtimes: ['qwen'] })).toEqual([])
  })
})
