import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { disclosureLines } from '../../src/cli/view/disclosure.ts'
import type { Disclosure } from '../../src/trust/disclosure.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const NOT_FEATURE = {
  hooks: undefined,
  runtimeCompat: undefined,
  skills: undefined,
  agents: undefined,
  config: undefined,
  steps: undefined,
  contributions: undefined,
  gates: undefined,
}

const lane = (members: Record<string, unknown>): Record<string, unknown> => ({
  ...NOT_FEATURE,
  role: 'reviewer',
  reviewer: {
    slug: 'local',
    flags: ['--local'],
    timeoutFloorMs: 1000,
    emptyOutput: 'stub-with-stderr',
    reviewsSection: 'Local',
    evidenceClass: 'source-grounded',
    requiresBinaries: [],
    promptBudgetKey: null,
    modelConfigKey: null,
    handler: null,
    ...members,
  },
})

const SKILL = { 'skills/s/SKILL.md': '# s\n' }

interface Shown {
  readonly manifest: Record<string, unknown>
  readonly files?: Readonly<Record<string, string>>
  readonly executable?: string
}

/** What is disclosed before an install. */
const disclosed = async ({ manifest, files = {}, executable }: Shown): Promise<Disclosure> => {
  const bundle = scratch.bundle('guard', { manifest, files })
  if (executable !== undefined) chmodSync(`${bundle}/${executable}`, 0o755)
  const shown: Disclosure[] = []
  await scratch.install(bundle, {
    consentPrompt: { assumeYes: true, confirm: null, disclose: (all) => void shown.push(...all) },
  })
  const [first] = shown
  if (first === undefined) throw new Error('nothing was disclosed')
  return first
}

const textOf = (disclosure: Disclosure): string => disclosureLines(disclosure).join('\n')

const SURFACES: Readonly<Record<string, Shown & { readonly says: readonly (string | RegExp)[] }>> = {
  hook: {
    manifest: { hooks: [{ event: 'PreToolUse', matcher: 'Bash', script: 'hooks/run.sh', timeout: 5 }] },
    says: ['hook on PreToolUse, where Bash matches', 'runs hooks/run.sh for at most 5 s', /sha512 \S{80}/],
  },
  'MCP server': {
    manifest: { hooks: [], mcpServers: { db: { command: 'db', args: ['--read'], env: { MODE: 'read' }, cwd: '.' } } },
    says: ['MCP server db', 'runs db --read', 'with MODE=read', 'in .'],
  },
  'remote MCP server': {
    manifest: {
      hooks: [],
      mcpServers: { net: { type: 'http', url: 'https://mcp.example.org/x', headers: { 'X-Mode': 'read' } } },
    },
    says: ['MCP server net over http', 'talks to https://mcp.example.org/x', 'header X-Mode=read'],
  },
  'command module': {
    manifest: {
      hooks: [],
      commands: [{ family: 'tidy', module: 'lib/tidy.cjs', router: 'route', subcommands: ['all'] }],
    },
    files: { 'lib/tidy.cjs': 'exports.route = () => 0\n' },
    says: ['command family tidy (all)', 'loads lib/tidy.cjs, calls route', /sha512 \S{80}/],
  },
  gate: {
    manifest: {
      hooks: [],
      gates: [
        {
          point: 'execute:pre',
          check: { predicate: { kind: 'command-exit-zero', command: 'make check' } },
          blocking: false,
          onError: 'skip',
        },
      ],
    },
    says: ['gate at execute:pre', 'runs "make check"'],
  },
  'lane that runs a program': {
    manifest: lane({
      transport: 'spawn',
      probe: { kind: 'command-exists', binary: 'sh' },
      invoke: {
        binary: 'sh',
        args: ['-c', 'cat'],
        promptChannel: 'stdin',
        outputChannel: 'stdout',
        modelArg: null,
        effortChannel: 'none',
      },
    }),
    says: ['reviewer lane local: sends your plans to a program', 'runs sh -c cat'],
  },
  'skill script': {
    manifest: { hooks: [], skills: ['s'] },
    files: { ...SKILL, 'skills/s/run.sh': 'echo a\n' },
    executable: 'skills/s/run.sh',
    says: ['script skills/s/run.sh, executable', /sha512 \S{80}/],
  },
}

test.each(Object.keys(SURFACES))('the disclosure of a %s shows everything that decides what it does', async (kind) => {
  const { says, ...shown } = SURFACES[kind] ?? { says: [], manifest: {} }
  const text = textOf(await disclosed(shown))
  for (const part of says) expect(text).toMatch(part)
})

describe('a file that can run', () => {
  test.each<readonly [string, string, string, boolean]>([
    ['by its execute bit below skills/', 'skills/s/run', 'a\n', true],
    ['by #! below agents/', 'agents/run', '#!/bin/sh\n', false],
    ['by its extension below commands/', 'commands/run.py', 'a\n', false],
  ])('is a script of a skill %s', async (_why, path, text, isExecutable) => {
    const { surfaces } = await disclosed({
      manifest: { skills: ['s'] },
      files: { ...SKILL, [path]: text },
      ...(isExecutable ? { executable: path } : {}),
    })
    expect(surfaces).toContainEqual(expect.objectContaining({ kind: 'skill-script', script: path }))
  })

  test('elsewhere is a script of a skill only in a bundle without other surfaces', async () => {
    const files = { ...SKILL, 'lib/run.py': 'a\n' }
    const scripts = async (manifest: Record<string, unknown>): Promise<number> =>
      (await disclosed({ manifest: { skills: ['s'], ...manifest }, files })).surfaces.filter(
        (surface) => surface.kind === 'skill-script' && surface.script === 'lib/run.py',
      ).length
    expect(await scripts({ hooks: [] })).toBe(1)
    expect(await scripts({ version: '2.0.0' })).toBe(0)
  })
})

test('skills and agents are counted and named', async () => {
  const files = { ...SKILL, 'agents/a.md': '# a\n', 'agents/b.md': '# b\n' }
  const text = textOf(await disclosed({ manifest: { skills: ['s'], agents: ['a', 'b'] }, files }))
  expect(text).toContain('skills (1): s')
  expect(text).toContain('agents (2): a, b')
})

test('a secret in a manifest is masked in text, and not in the data that --json prints', async () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const shown = await disclosed({ manifest: { mcpServers: { db: { command: 'db', args: ['--token', secret] } } } })
  expect(textOf(shown)).not.toContain(secret)
  expect(JSON.stringify(shown)).toContain(secret)
})
