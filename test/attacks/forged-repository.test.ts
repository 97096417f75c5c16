import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import { verify } from '../../src/operation/verify.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import type { Json } from '../../src/state/json-text.ts'
import { jsonText } from '../../src/state/json-text.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import {
  doctorIn,
  fixIn,
  grantIn,
  installIn,
  recoverAndLoad,
  removeIn,
  revokeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from '../helpers/operations.ts'
import { bundleFiles, useScratch } from '../helpers/scratch.ts'
import { differences, treeOf } from '../helpers/tree.ts'

const scratch = useScratch()
const context = (): Context => scratch.testContext().context
const DIGEST = `sha512-${'A'.repeat(86)}==`
const json = (path: string, value: unknown): string => scratch.put(path, jsonText(value as Json))

/** Files of the user outside the project, which nothing in the project may reach. */
const userFiles = (): string[] => treeOf(scratch.root, { without: ['cache', 'project', 'home/.gsd', 'bundles'] })
const setUp = async (): Promise<void> => {
  scratch.put('home/.claude/settings.json', '{ "mine": true }\n')
  scratch.put('home/precious/file.txt', 'mine\n')
  scratch.put('home/precious/capability.json', bundleFiles('precious')['capability.json'] ?? '')
  scratch.put('outside/file.txt', 'mine\n')
}

/** Every command in the project, with any result; an error must be a GsdError. */
const everything = async (ids: readonly string[] = ['one']): Promise<Record<string, string>> => {
  const commands: Record<string, (context: Context) => unknown> = {
    list: recoverAndLoad,
    verify: (each) => verify(each, { ids: [], scope: 'project' }),
    doctor: doctorIn,
    enable: (each) => setEnabledIn(each, 'enabled', ids, { scope: 'project' }),
    disable: (each) => setEnabledIn(each, 'disabled', ids, { scope: 'project' }),
    grant: (each) => grantIn(each, ids),
    update: (each) => updateIn(each, [], { scope: 'project', force: true }),
    sync: (each) => syncIn(each, { force: true }),
    'doctor --fix': fixIn,
    install: (each) => installIn(each, scratch.bundle('new'), { scope: 'project', runtimes: ['claude'] }),
    revoke: (each) => revokeIn(each, ids),
    remove: (each) => removeIn(each, ids, { scope: 'project', force: true, purgeData: true }),
  }
  const ends: Record<string, string> = {}
  for (const [name, run] of Object.entries(commands)) {
    const each = context()
    await recoverAllScopes(each)
    try {
      ends[name] = codeOf(await run(each)) ?? 'done'
    } catch (error) {
      if (!(error instanceof GsdError)) throw error
      ends[name] = error.code
    }
  }
  return ends
}

/** The code of a refusal that is part of an answer. */
const codeOf = (answer: unknown): string | null =>
  typeof answer === 'object' && answer !== null && 'refusal' in answer && answer.refusal instanceof GsdError
    ? answer.refusal.code
    : null

const entry = (members: object = {}): object => ({
  version: '1.0.0',
  spec: '../bundles/one',
  resolved: { kind: 'local' },
  integrity: null,
  digest: DIGEST,
  requires: [],
  surfaces: DIGEST,
  runtimes: ['claude'],
  ...members,
})
const ledger = (capabilities: object): void => void json('project/.gsd/ledger.json', { schema: 1, capabilities })

describe('a ledger of a repository', () => {
  test.each<[string, object]>([
    ['an id that leads up', { '../../home/precious': entry() }],
    ['an id that is a path', { '/home/precious': entry() }],
    ['an id of two parts', { 'one/two': entry() }],
    ['an id that is a prototype', { __proto__x: entry() }],
    ['a requirement that leads up', { one: entry({ requires: ['../x'] }) }],
    ['a host that leads up', { one: entry({ runtimes: ['../../x'] }) }],
    ['a digest that is none', { one: entry({ digest: 'sha512-../../../etc/passwd' }) }],
    ['a path in its source that leads up', { one: entry({ resolved: { kind: 'git', path: '../../..' } }) }],
    ['a path in its source that is absolute', { one: entry({ resolved: { kind: 'local', path: '/etc' } }) }],
    ['an entry that is a list', { one: [] }],
    ['an entry that is null', { one: null }],
    ['a version that is a page', { one: entry({ version: 'x'.repeat(100_000) }) }],
  ])('with %s is refused completely, and changes nothing', async (_, capabilities) => {
    await setUp()
    const [before, text] = [userFiles(), jsonText({ schema: 1, capabilities } as unknown as Json)]
    ledger(capabilities)
    const ends = await everything()
    for (const verb of ['enable', 'grant', 'update', 'sync', 'install', 'remove'])
      expect({ verb, end: ends[verb] }).toMatchObject({ end: expect.stringMatching(/^STATE_/) })
    expect(userFiles()).toEqual(before)
    expect(scratch.text('project/.gsd/ledger.json')).toBe(text)
    expect(readdirSync(scratch.path('project/.gsd'))).toEqual(['ledger.json'])
  })

  test.each([
    ['the home', '../home/precious', 'precious'],
    ['the settings of a host', '../home/.claude', 'claude'],
    ['the root', '/', 'one'],
    ['a file of the system', '/etc/passwd', 'one'],
    ['a device', '/dev/zero', 'one'],
    ['its own .gsd', './.gsd', 'one'],
    ['the .gsd of the home', '../home/.gsd', 'one'],
  ])('that names %s as a source installs nothing from it', async (_, spec, id) => {
    await setUp()
    const before = userFiles()
    ledger({ [id]: entry({ spec }) })
    const ends = await everything([id])
    expect(ends['sync']).not.toBe('done')
    expect(userFiles()).toEqual(before)
    expect(existsSync(scratch.path('project/.gsd/capabilities', id))).toBe(false)
    expect(existsSync(scratch.path('project/.claude/settings.local.json'))).toBe(
      ends['install'] === 'done' && readFileSync(scratch.projectSettings, 'utf8').includes('/new/'),
    )
  })

  test('cannot run a hook without consent by a ledger entry that says it is wired', async () => {
    await setUp()
    const bundle = scratch.bundle('one')
    await installIn(context(), bundle, { scope: 'project', runtimes: ['claude'] })
    const right = scratch.text('project/.gsd/ledger.json')
    await removeIn(context(), 'one', { scope: 'project' })
    // The repository contains the bundle, the ledger and a receipt.
    scratch.put('project/.gsd/ledger.json', right)
    scratch.bundle('one', { to: 'project/.gsd/capabilities/one' })
    const { wired, warnings } = await syncIn(context())
    expect(wired).toEqual([])
    expect(warnings.map(({ code }) => code)).toContain('CONSENT_MISSING')
    await setEnabledIn(context(), 'disabled', 'one', { scope: 'project' })
    await expect(setEnabledIn(context(), 'enabled', 'one', { scope: 'project' })).rejects.toMatchObject({
      code: 'CONSENT_REQUIRED',
    })
    expect(existsSync(scratch.projectSettings)).toBe(false)
    const { rows } = await recoverAndLoad(context())
    expect(rows.find(({ id }) => id === 'one')).toMatchObject({ status: 'inactive', reason: 'never trusted here' })
  })
})

describe('files in a repository that only a home may have', () => {
  test('move, delete and activate nothing', async () => {
    await setUp()
    await installIn(context(), scratch.bundle('one'), { scope: 'project', runtimes: ['claude'] })
    await revokeIn(context(), 'one')
    const real = context().project?.realRoot ?? ''
    const operation = 'abc123-0123456789ab'
    const hosts = {
      schema: 1,
      files: {
        [scratch.path('home/.claude/settings.json')]: {
          surface: 'settings-json',
          runtime: 'claude',
          madeFile: true,
          madeFolders: [scratch.path('home/precious'), scratch.path('home/.claude')],
          containers: [{ pointer: '', made: true, gap: '' }],
          entries: { one: [{ event: 'Stop', command: 'true', script: '/x' }] },
        },
      },
    }
    json('project/.gsd/hosts.json', hosts)
    json('project/.gsd/.journal.json', {
      schema: 1,
      operation,
      command: 'install one',
      scope: 'project',
      root: real,
      made: [scratch.path('home/precious')],
      changes: [
        { kind: 'swap', target: 'capabilities/one', from: null, replaces: true },
        { kind: 'record', store: 'ledger', key: ['capabilities', 'one'], before: null, after: entry() },
      ],
    })
    json('project/.gsd/grants.json', {
      schema: 1,
      grants: {
        [`one@${real}`]: {
          scope: 'project',
          project: real,
          id: 'one',
          version: '1.0.0',
          digest: DIGEST,
          surfaces: DIGEST,
          files: {},
          granted: '2020-01-01T00:00:00.000Z',
        },
      },
    })
    scratch.put(`project/.gsd/.trash/${operation}/capabilities/one/capability.json`, '{}')
    scratch.put(
      `project/.gsd/.running/${operation}@1-00000000`,
      JSON.stringify({ made: [scratch.path('home/precious')] }),
    )
    scratch.put('project/.gsd/.lock/000000000-1-00000000-000000000000', '{}')
    json('project/.gsd/projects/x/hosts.json', hosts)
    json('project/.gsd/policy.json', { schema: 1, strict_known_registries: [] })
    json('project/.gsd/config.json', { schema: 1, catalogs: { evil: 'https://evil.example' } })
    const [before, planted] = [userFiles(), treeOf(scratch.path('project/.gsd'))]
    const reader = context()
    await recoverAllScopes(reader)
    const { rows } = await loadRegistryFor(reader)
    expect(rows.find(({ id }) => id === 'one')).toMatchObject({ status: 'inactive' })
    expect(treeOf(scratch.path('project/.gsd'))).toEqual(planted)
    await everything()
    expect(userFiles()).toEqual(before)
    expect(scratch.text('project/.gsd/hosts.json')).toBe(jsonText(hosts as unknown as Json))
  })

  test('a receipt whose paths leave the bundle is a damaged receipt', async () => {
    await setUp()
    await installIn(context(), scratch.bundle('one'), { scope: 'project' })
    const before = userFiles()
    for (const path of ['../../../home/precious/file.txt', '/etc/passwd', 'a/../../x', '.', '']) {
      json('project/.gsd/receipts/one.json', {
        schema: 1,
        id: 'one',
        digest: DIGEST,
        files: { [path]: { sha512: 'ab'.repeat(64), executable: false } },
      })
      expect((await doctorIn(context())).findings).toMatchObject([{ id: 'one', remedy: 'sync' }])
    }
    await everything()
    expect(userFiles()).toEqual(before)
  })
})

describe('a link in place of', () => {
  /** The target of the link is moved first, so that a command finds every file through it. */
  const linkTo = (path: string): string => {
    const target = scratch.path('outside/linked')
    if (existsSync(scratch.path('project', path))) renameSync(scratch.path('project', path), target)
    else mkdirSync(target)
    symlinkSync(target, scratch.path('project', path))
    return target
  }

  test.each(['.gsd', '.gsd/capabilities', '.gsd/receipts', '.gsd/kept', '.gsd/.staging', '.gsd/.trash'])(
    '%s of a project refuses every change, and its target is not touched',
    async (path) => {
      await setUp()
      await installIn(context(), scratch.bundle('one'), { scope: 'project', runtimes: ['claude'] })
      scratch.bundle('one', { manifest: { version: '2.0.0' } })
      scratch.put('project/.gsd/capabilities/one/hooks/run.sh', '#!/bin/sh\n# mine\n')
      const target = linkTo(path)
      const before = [userFiles(), treeOf(target)]
      const ends = await everything()
      for (const verb of ['update', 'install', 'remove'])
        expect({ verb, end: ends[verb] }).toMatchObject({
          end: expect.stringMatching(/^STATE_(?:LINKED|DRIFT|NOT_INSTALLED)$/),
        })
      expect([userFiles(), treeOf(target)]).toEqual(before)
      expect(readlinkSync(scratch.path('project', path))).toBe(target)
    },
  )

  test.each(['ledger.json', 'state.json', 'receipts/one.json'])('%s is not followed', async (name) => {
    await setUp()
    await installIn(context(), scratch.bundle('one'), { scope: 'project', runtimes: ['claude'] })
    if (name === 'state.json') await setEnabledIn(context(), 'disabled', 'one', { scope: 'project' })
    const file = scratch.path('project/.gsd', name)
    writeFileSync(scratch.path('outside/kept'), readFileSync(file))
    rmSync(file)
    symlinkSync(scratch.path('outside/kept'), file)
    const before = userFiles()
    await everything()
    expect(userFiles()).toEqual(before)
  })

  test('a bundle folder is neither loaded nor followed', async () => {
    await setUp()
    await installIn(context(), [scratch.bundle('one'), scratch.bundle('two')], {
      scope: 'project',
      runtimes: ['claude'],
    })
    const target = linkTo('.gsd/capabilities/one')
    const before = [userFiles(), treeOf(target)]
    const { rows } = await recoverAndLoad(context())
    expect(rows.find(({ id, scope }) => id === 'one' && scope === 'project')).toMatchObject({ code: 'OVERLAY_LINKED' })
    expect(rows.find(({ id, scope }) => id === 'two' && scope === 'project')).toMatchObject({ status: 'active' })
    await everything()
    expect([userFiles(), treeOf(target)]).toEqual(before)
  })

  test(".gsd of a home is the user's own, and its target is used", async () => {
    await setUp()
    mkdirSync(scratch.path('outside/gsd'))
    symlinkSync(scratch.path('outside/gsd'), scratch.path('home/.gsd'))
    const before = treeOf(scratch.root, { without: ['cache', 'bundles'] })
    await installIn(context(), scratch.bundle('one'), { runtimes: ['claude'] })
    expect(lstatSync(scratch.path('home/.gsd')).isSymbolicLink()).toBe(true)
    expect(readdirSync(scratch.path('outside/gsd/capabilities'))).toEqual(['one'])
    await removeIn(context(), 'one')
    expect(differences(before, treeOf(scratch.root, { without: ['cache', 'bundles'] }))).toEqual([])
  })
})
