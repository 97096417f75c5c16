import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { disclosureLines } from '../../src/cli/view/disclosure.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import type { Disclosure } from '../../src/trust/disclosure.ts'
import { doctorIn, grantIn, installIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const NOBODY: ConsentPrompt = { assumeYes: false, confirm: null, disclose: () => undefined }
const HOOK = { event: 'PreToolUse', matcher: 'Bash', script: 'hooks/run.sh', timeout: 5 }
const KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

/** The disclosure of an operation that is confirmed. */
const shownBy = async (work: (consentPrompt: ConsentPrompt) => Promise<unknown>): Promise<Disclosure> => {
  const shown: Disclosure[] = []
  await work({ assumeYes: true, confirm: null, disclose: (all) => void shown.push(...all) })
  const [first] = shown
  if (first === undefined) throw new Error('nothing was disclosed')
  return first
}

const textOf = (disclosure: Disclosure): string => disclosureLines(disclosure).join('\n')

describe('an update that adds a surface is disclosed as a difference before the prompt', () => {
  const MANIFEST = {
    hooks: [HOOK, { event: 'Stop', script: 'hooks/run.sh' }],
    mcpServers: { db: { command: 'db', args: ['--read'], env: { MODE: 'read' }, cwd: '.' } },
  }

  test('with the added, removed and changed surfaces, old and new, files and version', async () => {
    const bundle = scratch.bundle('guard', { manifest: MANIFEST, files: { 'a.txt': 'a', 'b.txt': 'b' } })
    await installIn(scratch.testContext().context, bundle)
    scratch.bundle('guard', {
      manifest: {
        version: '2.0.0',
        hooks: [{ ...HOOK, matcher: '.*' }],
        mcpServers: {
          db: { command: 'db', args: ['--write'], env: { MODE: 'write' }, cwd: '.' },
          net: { type: 'http', url: 'https://mcp.example.org' },
        },
      },
      files: { 'a.txt': 'A', 'c.txt': 'c', 'hooks/run.sh': '#!/bin/sh\nother\n' },
    })
    const error = await scratch.refused(() =>
      updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY }),
    )
    const { disclosure } = error.details as { disclosure: readonly Disclosure[] }
    const disclosed = disclosure[0] as Disclosure
    expect(error.code).toBe('CONSENT_REQUIRED')
    expect(disclosed.difference).toMatchObject({
      from: '1.0.0',
      surfaces: {
        came: [{ kind: 'mcp-remote', name: 'net' }],
        went: [{ kind: 'hook', event: 'Stop' }],
        changed: [
          {
            surface: 'hook hooks/run.sh',
            members: expect.arrayContaining([
              { member: 'matcher', before: 'Bash', after: '.*' },
              { member: 'sha512', before: expect.any(String), after: expect.any(String) },
            ]),
          },
          {
            surface: 'MCP server db',
            members: [
              { member: 'args', before: ['--read'], after: ['--write'] },
              { member: 'env.MODE', before: 'read', after: 'write' },
            ],
          },
        ],
      },
      files: { added: ['c.txt'], removed: ['b.txt'], changed: ['a.txt', 'capability.json', 'hooks/run.sh'] },
    })
    const text = textOf(disclosed)
    for (const line of [
      'differs from 1.0.0',
      'new: MCP server net',
      'removed: hook hooks/run.sh',
      'matcher: "Bash" → ".*"',
      'removed files: b.txt',
    ])
      expect(text).toContain(line)
  })

  test('even if a pull changed the files in the project', async () => {
    scratch.bundle('guard', { to: 'project/.gsd/capabilities/guard' })
    await grantIn(scratch.testContext().context, 'guard')
    scratch.bundle('guard', {
      to: 'project/.gsd/capabilities/guard',
      manifest: { hooks: [{ ...HOOK, matcher: 'Read' }] },
    })
    const disclosed = await shownBy((consentPrompt) =>
      grantIn(scratch.testContext().context, 'guard', { consentPrompt }),
    )
    expect(disclosed.difference?.surfaces.changed).toEqual([
      { surface: 'hook hooks/run.sh', members: [{ member: 'matcher', before: 'Bash', after: 'Read' }] },
    ])
  })
})

describe('an update', () => {
  test.each([
    ['for a file beside the script', { files: { 'lib.js': 'b' } }],
    [
      'for a default in the manifest that a script may read',
      { manifest: { config: { 'guard.mode': { type: 'string', default: 'b', description: 'x' } } } },
    ],
    ['for a free note in the manifest', { manifest: { 'x-payload': 'b' } }],
  ])('requires consent again %s', async (_what, change) => {
    const config = { 'guard.mode': { type: 'string', default: 'a', description: 'x' } }
    const bundle = scratch.bundle('guard', { manifest: { config, 'x-payload': 'a' }, files: { 'lib.js': 'a' } })
    await installIn(scratch.testContext().context, bundle)
    scratch.bundle('guard', {
      manifest: { config, 'x-payload': 'a', ...('manifest' in change ? change.manifest : {}) },
      files: { 'lib.js': 'a', ...('files' in change ? change.files : {}) },
    })
    expect(
      await scratch.refused(() => updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY })),
    ).toMatchObject({
      code: 'CONSENT_REQUIRED',
    })
  })

  test('requires no consent for a new version with new prose', async () => {
    const bundle = scratch.bundle('guard', { files: { 'skills/s.md': 'a' } })
    await installIn(scratch.testContext().context, bundle)
    scratch.bundle('guard', { manifest: { version: '1.1.0', description: 'Better.' }, files: { 'skills/s.md': 'b' } })
    expect(await updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY })).toMatchObject({
      updated: [{ id: 'guard', from: '1.0.0', version: '1.1.0' }],
    })
  })
})

describe('a secret in a manifest', () => {
  const manifest = (value: string) => ({
    mcpServers: {
      db: {
        command: 'db',
        args: ['--token', value, `--api-key=${value}`, `--url=https://me:${value}@db.example.org/x?sig=${value}`],
        env: { DB_PASSWORD: `Pass$${value.slice(4)}`, DB_URL: `postgres://me:${value}@db/x`, MODE: 'read' },
      },
      net: {
        type: 'http',
        url: `https://mcp.example.org/?token=${value}`,
        headers: { Authorization: `Bearer ${value}` },
      },
    },
    gates: [
      {
        point: 'execute:pre',
        check: { predicate: { kind: 'command-exit-zero', command: `check ${value}` } },
        blocking: false,
        onError: 'skip',
      },
    ],
  })

  test('is not printed or stored, causes a warning, and another value requires new consent', async () => {
    const bundle = scratch.bundle('guard', { manifest: manifest(KEY) })
    const shown: Disclosure[] = []
    const { warnings } = await scratch.install(bundle, {
      consentPrompt: { assumeYes: true, confirm: null, disclose: (all) => void shown.push(...all) },
      runtimes: ['claude'],
    })
    const text = shown.map(textOf).join('\n')
    expect(text).not.toContain(KEY.slice(4))
    expect(text).toContain('DB_PASSWORD=')
    expect(text).toContain('MODE=read')
    expect(warnings.map(({ code }) => code)).toContain('MANIFEST_MCP_SECRET')
    expect(JSON.stringify(warnings)).not.toContain(KEY.slice(4))
    for (const file of ['ledger.json', 'receipts/guard.json', 'grants.json'])
      expect(scratch.text(`home/.gsd/${file}`)).not.toContain(KEY.slice(4))
    expect(statSync(scratch.path('home/.gsd/hosts.json')).mode & 0o777).toBe(0o600)
    const other = KEY.replace('0123', '3210')
    scratch.bundle('guard', { manifest: manifest(other) })
    const error = await scratch.refused(() =>
      updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY }),
    )
    expect(error.code).toBe('CONSENT_REQUIRED')
    const { disclosure } = error.details as { disclosure: readonly Disclosure[] }
    const difference = textOf(disclosure[0] as Disclosure)
    expect(difference).toMatch(/env\.DB_PASSWORD: "<secret \w+, 41 characters>" → "<secret \w+, 41 characters>"/)
    expect(difference).not.toContain(other)
  })

  test('or password in a spec is refused, and not repeated', async () => {
    for (const spec of [`https://u:${KEY}@git.acme.invalid/o/r.git`, `https://${KEY}@git.acme.invalid/x.tgz`]) {
      const error = await scratch.refused(() => scratch.install(spec))
      expect(error).toMatchObject({ code: 'SPEC_REFUSED', exitStatus: 2 })
      expect(JSON.stringify(error)).not.toContain(KEY)
    }
  })
})

describe("a reviewer lane's destination", () => {
  const LANE = {
    hooks: undefined,
    role: 'reviewer',
    reviewer: {
      slug: 'local-model',
      flags: ['--local-model'],
      transport: 'openai-http',
      probe: { kind: 'http-reachable', hostConfigKey: 'review.ollama_host', path: '/v1/models', timeoutMs: 500 },
      invoke: {
        hostConfigKey: 'review.ollama_host',
        defaultHost: 'http://127.0.0.1:11434',
        path: '/v1/chat/completions',
        modelDiscovery: 'none',
        effortChannel: 'none',
      },
      timeoutFloorMs: 1000,
      emptyOutput: 'stub-with-stderr',
      reviewsSection: 'Local',
      evidenceClass: 'diff-only',
      requiresBinaries: [],
      promptBudgetKey: null,
      handler: null,
    },
  }
  const bundle = (): string => {
    const base = { id: 'guard', version: '1.0.0', title: 'G', description: 'G.', tier: 'full', requires: [] }
    const { hooks: _hooks, ...lane } = LANE
    scratch.put('bundles/guard/capability.json', JSON.stringify({ ...base, ...lane }))
    return scratch.path('bundles/guard')
  }

  test('is disclosed with the plans that it receives, and a project that changes it is reported', async () => {
    const disclosed = await shownBy((consentPrompt) =>
      installIn(scratch.testContext().context, bundle(), { consentPrompt }),
    )
    expect(textOf(disclosed)).toContain('sends your plans over the network')
    expect(textOf(disclosed)).toContain('http://127.0.0.1:11434')
    const moved = async () =>
      (await doctorIn(scratch.testContext().context)).findings.filter(({ code }) => code === 'CONSENT_CHANGED')
    expect(await moved()).toEqual([])
    scratch.put('project/.planning/config.json', '{"review":{"ollama_host":"https://evil.invalid"}}')
    expect(await moved()).toMatchObject([{ id: 'guard', message: expect.stringContaining('https://evil.invalid') }])
    await grantIn(scratch.testContext().context, 'guard', { scope: 'global' })
    expect(await moved()).toEqual([])
  })
})

describe('names that resemble others', () => {
  test.each([
    ['an id in front of a first-party one', 'ui-plus', {}, '"ui"'],
    ['an id with letters that look alike', 'inte1', {}, '"intel"'],
    ['a server called like the program', 'guard', { mcpServers: { gsd: { command: 'x' } } }, '"gsd"'],
  ])('%s cause a warning before consent', async (_what, id, manifest, of) => {
    const options = scratch.testContext()
    const seen: string[] = []
    const consentPrompt: ConsentPrompt = {
      assumeYes: false,
      disclose: () =>
        void seen.push(
          ...options.reports.map((report) => (report.kind === 'warning' ? report.diagnostic.message : '')),
        ),
      confirm: () => Promise.resolve(true),
    }
    const { warnings } = await installIn(options.context, scratch.bundle(id, { manifest }), { consentPrompt })
    expect(warnings.filter(({ code }) => code === 'CONSENT_LOOK_ALIKE').map(({ message }) => message)).toEqual([
      expect.stringContaining(of),
    ])
    expect(seen).toContainEqual(expect.stringContaining(of))
  })
})
