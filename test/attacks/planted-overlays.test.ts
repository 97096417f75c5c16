import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wiredWarnings } from '../../src/operation/check/orphan-wirings.ts'
import { verify } from '../../src/operation/verify.ts'
import { doctorIn, grantIn, installIn, revokeIn, setEnabledIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'
import { copyTree } from '../helpers/tree.ts'

const scratch = useScratch()
const PROJECT = { scope: 'project', runtimes: ['claude'] } as const

/** A bundle that somebody committed into the project. */
const plant = (id: string, options: Parameters<typeof scratch.bundle>[1] = {}): string =>
  scratch.bundle(id, { ...options, to: `project/.gsd/capabilities/${id}` })

const rowOf = async (id: string, options?: Parameters<typeof scratch.list>[0]) =>
  (await scratch.list(options)).rows.find((row) => row.id === id && row.scope === 'project')

const INACTIVE = { status: 'inactive', code: 'CONSENT_MISSING', reason: 'never trusted here' }

describe('a repository cannot consent', () => {
  test('by a ledger that lists it as installed', async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, PROJECT)
    const ledger = scratch.text('project/.gsd/ledger.json')
    await scratch.remove('guard', { scope: 'project' })
    plant('guard')
    scratch.put('project/.gsd/ledger.json', ledger)
    rmSync(scratch.path('home/.gsd'), { recursive: true, force: true })
    expect(await rowOf('guard')).toMatchObject(INACTIVE)
  })

  test.each([
    'grants.json',
    '.gsd/grants.json',
    '.gsd/.gsd/grants.json',
    '.gsd/consent.json',
    '.gsd/.gsd/consent.json',
  ])('by a consent store of its own at %s', async (replaceManifest) => {
    const { context } = scratch.testContext()
    plant('guard')
    await grantIn(context, 'guard')
    const consent = scratch.text('home/.gsd/grants.json')
    rmSync(scratch.path('home/.gsd'), { recursive: true })
    scratch.put(join('project', replaceManifest), consent)
    expect(await rowOf('guard')).toMatchObject(INACTIVE)
    // If GSD_HOME points into the project, its files are the project's.
    for (const GSD_HOME of [scratch.project, join(scratch.project, '.gsd')]) {
      const { rows } = await scratch.list({ env: { GSD_HOME } })
      expect(rows.filter(({ id, status }) => id === 'guard' && status !== 'inactive')).toEqual([])
    }
  })

  test('by a record for another project that is copied to its own key', async () => {
    const { context } = scratch.testContext()
    plant('guard')
    await grantIn(context, 'guard')
    const text = scratch.text('home/.gsd/grants.json')
    const other = scratch.path('other')
    mkdirSync(join(other, '.git'), { recursive: true })
    copyTree(join(scratch.project, '.gsd'), join(other, '.gsd'))
    expect(await rowOf('guard', { cwd: other })).toMatchObject(INACTIVE)
    // A change of the key alone makes the store unreadable, and then nothing is trusted.
    scratch.put('home/.gsd/grants.json', text.replace(`guard@${scratch.project}`, `guard@${other}`))
    expect(await rowOf('guard', { cwd: other })).toMatchObject({ status: 'inactive' })
  })

  test('by receipts, a journal, hosts and a lock in its own folder', async () => {
    plant('guard')
    const userSettings = scratch.put('home/.claude/settings.json', '{"mine":1}\n')
    const journal = {
      schema: 1,
      operation: 'x',
      command: 'x',
      scope: 'project',
      root: scratch.project,
      changes: [{ kind: 'swap', target: 'capabilities/guard', from: null, replaces: true }],
    }
    scratch.put('project/.gsd/.journal.json', JSON.stringify(journal))
    scratch.put(
      'project/.gsd/hosts.json',
      JSON.stringify({ schema: 1, files: { [userSettings]: { made: true, entries: { guard: [] } } } }),
    )
    scratch.put('project/.gsd/receipts/guard.json', '{"schema":1}')
    mkdirSync(scratch.path('project/.gsd/.lock'))
    expect(await rowOf('guard')).toMatchObject(INACTIVE)
    await revokeIn(scratch.testContext().context, 'guard')
    await doctorIn(scratch.testContext().context)
    expect(readFileSync(userSettings, 'utf8')).toBe('{"mine":1}\n')
    expect(lstatSync(scratch.path('project/.gsd/capabilities/guard')).isDirectory()).toBe(true)
  })

  test('by enabling a capability that the user disabled', async () => {
    const bundle = scratch.bundle('guard')
    const { context } = scratch.testContext()
    await installIn(context, bundle)
    await setEnabledIn(context, 'disabled', 'guard')
    scratch.put('project/.gsd/state.json', '{"schema":1,"capabilities":{"guard":"enabled"}}')
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'guard').map(({ status }) => status)).not.toContain('active')
  })
})

describe('a project that links into the home', () => {
  test.each(['.gsd', '.gsd/capabilities', '.gsd/capabilities/guard'])(
    'with a link at %s is not loaded from, nor written through',
    async (replaceManifest) => {
      await installIn(scratch.testContext().context, scratch.bundle('guard'))
      const link = join(scratch.project, replaceManifest)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(scratch.home, replaceManifest), link)
      expect((await scratch.list()).rows.some(({ scope, status }) => scope === 'project' && status === 'active')).toBe(
        false,
      )
      const other = scratch.bundle('guard', { manifest: { version: '2.0.0' }, to: 'other/guard' })
      const before = scratch.text('home/.gsd/capabilities/guard/capability.json')
      await expect(scratch.install(other, { scope: 'project', force: true, replace: true })).rejects.toMatchObject({
        exitStatus: 4,
      })
      expect(scratch.text('home/.gsd/capabilities/guard/capability.json')).toBe(before)
    },
  )

  test('that is a link to the home is the home, and no project', async () => {
    symlinkSync(scratch.home, scratch.path('project/home'))
    await installIn(scratch.testContext().context, scratch.bundle('guard'))
    const { rows } = await scratch.list({ cwd: scratch.path('project/home') })
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ scope: 'global', status: 'active' }])
  })
})

describe('a bundle without consent is not opened', () => {
  test('an unknown id cannot be trusted', async () => {
    const error = await scratch.refused(() => grantIn(scratch.testContext().context, 'toString'))
    expect(error).toMatchObject({ code: 'STATE_NOT_INSTALLED', exitStatus: 4 })
  })

  test('a fragment that is a FIFO hangs nothing', async () => {
    const contributions = [
      { point: 'plan:pre', into: 'planner', produces: [], consumes: [], fragment: { path: 'x.md' } },
    ]
    const dir = plant('guard', { manifest: { contributions } })
    execFileSync('mkfifo', [join(dir, 'x.md')])
    expect(await rowOf('guard')).toMatchObject(INACTIVE)
    await expect(grantIn(scratch.testContext().context, 'guard')).rejects.toMatchObject({ code: 'OVERLAY_INVALID' })
    const { warnings } = await scratch.list()
    expect(warnings.map(({ code }) => code)).toContain('CONSENT_MISSING')
  })

  test('a link out of the bundle next to valid files cannot be trusted', async () => {
    const dir = plant('guard')
    symlinkSync('/etc/passwd', join(dir, 'notes.md'))
    const error = await scratch.refused(() => grantIn(scratch.testContext().context, 'guard'))
    expect(error.message).toContain('notes.md')
  })
})

describe('a change after consent makes a bundle inactive', () => {
  const granted = async (): Promise<string> => {
    const dir = plant('guard', { files: { 'lib/a.js': 'aaaa' } })
    await grantIn(scratch.testContext().context, 'guard')
    expect(await rowOf('guard')).not.toMatchObject({ status: 'inactive' })
    return dir
  }

  test('a script of the same length, with its old time restored', async () => {
    const dir = await granted()
    const file = join(dir, 'lib/a.js')
    const { atime, mtime } = lstatSync(file)
    writeFileSync(file, 'bbbb')
    utimesSync(file, atime, mtime)
    expect(await rowOf('guard')).toMatchObject({
      code: 'CONSENT_CHANGED',
      reason: 'changed since you trusted it: "lib/a.js"',
    })
  })

  test('a script that replaces the old one, with all its times', async () => {
    const dir = await granted()
    const file = join(dir, 'lib/a.js')
    const { atime, mtime } = lstatSync(file)
    const other = scratch.put('other.js', 'bbbb')
    utimesSync(other, atime, mtime)
    renameSync(other, file)
    expect(await rowOf('guard')).toMatchObject({ code: 'CONSENT_CHANGED' })
  })

  test.each([
    ['a matcher', { hooks: [{ event: 'PreToolUse', matcher: '.*', script: 'hooks/run.sh', timeout: 5 }] }],
    ['an environment', { mcpServers: { db: { command: 'db', env: { MODE: 'write' } } } }],
    ['a working directory', { mcpServers: { db: { command: 'db', env: { MODE: 'read' }, cwd: 'lib' } } }],
    ['a title', { title: 'Another' }],
  ])('%s in the manifest', async (_what, manifest) => {
    const sound = { mcpServers: { db: { command: 'db', env: { MODE: 'read' } } } }
    plant('guard', { manifest: sound })
    await grantIn(scratch.testContext().context, 'guard')
    plant('guard', { manifest: { ...sound, ...manifest } })
    expect(await rowOf('guard')).toMatchObject({
      code: 'CONSENT_CHANGED',
      reason: expect.stringContaining('"capability.json"'),
    })
  })

  test('an executable bit', async () => {
    chmodSync(join(await granted(), 'lib/a.js'), 0o755)
    expect(await rowOf('guard')).toMatchObject({ code: 'CONSENT_CHANGED' })
  })

  test('and a moved project is distinguished from a copy of one', async () => {
    const work = scratch.path('work')
    mkdirSync(join(work, '.git'), { recursive: true })
    scratch.bundle('guard', { to: 'work/.gsd/capabilities/guard' })
    await grantIn(scratch.testContext({ cwd: work }).context, 'guard')
    copyTree(work, scratch.path('copy'))
    expect(await rowOf('guard', { cwd: scratch.path('copy') })).toMatchObject(INACTIVE)
    renameSync(work, scratch.path('moved'))
    expect(await rowOf('guard', { cwd: scratch.path('moved') })).toMatchObject({
      code: 'CONSENT_MOVED',
      reason: `project moved: you trusted it in "${work}", which no longer exists`,
    })
  })
})

describe('a wired hook of a project that changed', () => {
  const wired = async (): Promise<void> => {
    scratch.put('project/.claude/settings.local.json', '{}\n')
    await scratch.install(scratch.bundle('guard'), PROJECT)
    expect(scratch.text('project/.claude/settings.local.json')).toContain('run.sh')
    writeFileSync(scratch.path('project/.gsd/capabilities/guard/hooks/run.sh'), '#!/bin/sh\nevil\n')
  }
  const REVOKE = expect.stringContaining('gsd capability trust revoke guard --scope project')

  test('is reported by list, doctor and verify with the command that unwires it', async () => {
    await wired()
    const { context } = scratch.testContext()
    const options = await scratch.list()
    expect(wiredWarnings(context, context.project === null ? [] : [context.project], options)).toMatchObject([
      { id: 'guard', hint: REVOKE, severity: 'warning', file: expect.stringContaining('settings.local.json') },
    ])
    expect((await doctorIn(context)).findings).toContainEqual(expect.objectContaining({ id: 'guard', hint: REVOKE }))
    const answer = verify(context, { ids: [], scope: null })
    expect(answer.strays).toMatchObject([{ id: 'guard' }])
    expect(answer.warnings).toContainEqual(expect.objectContaining({ hint: REVOKE }))
  })

  test('is reported too when the ledger was changed to match, or the folder is gone', async () => {
    await wired()
    rmSync(scratch.path('project/.gsd/capabilities'), { recursive: true })
    rmSync(scratch.path('project/.gsd/ledger.json'))
    const { context } = scratch.testContext()
    expect(
      wiredWarnings(context, context.project === null ? [] : [context.project], await scratch.list()),
    ).toMatchObject([{ id: 'guard', hint: REVOKE }])
  })

  test('is unwired by trust revoke, and wired again by trust grant', async () => {
    await wired()
    await revokeIn(scratch.testContext().context, 'guard')
    expect(scratch.text('project/.claude/settings.local.json')).toBe('{}\n')
    expect(await rowOf('guard')).toMatchObject(INACTIVE)
    const { wired: again } = await grantIn(scratch.testContext().context, 'guard')
    expect(again).toMatchObject([{ runtime: 'claude' }])
    expect(scratch.text('project/.claude/settings.local.json')).toContain('run.sh')
  })

  test('is not wired again by enable', async () => {
    await wired()
    const { context } = scratch.testContext()
    await setEnabledIn(context, 'disabled', 'guard', { scope: 'project' })
    expect(scratch.text('project/.claude/settings.local.json')).toBe('{}\n')
    const enabling = setEnabledIn(context, 'enabled', 'guard', { scope: 'project' })
    await expect(enabling).rejects.toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect(scratch.text('project/.claude/settings.local.json')).toBe('{}\n')
  })
})

describe('a GSD_HOME inside of a repository', () => {
  test.each([
    ['a repository', 'repo/.git/HEAD', 'repo/home'],
    ['the root of a repository', 'repo/.git/HEAD', 'repo'],
    ['a worktree, where .git is a file', 'repo/.git', 'repo/home'],
    ['a folder with plans', 'repo/.planning/config.json', 'repo/deep/er/home'],
    ['another GSD project', 'repo/.gsd/ledger.json', 'repo/home'],
  ])('is trusted from no working directory: %s', async (_what, marker, home) => {
    scratch.put(marker, '{"schema":1,"capabilities":{}}')
    scratch.bundle('guard', { to: `${home}/.gsd/capabilities/guard` })
    scratch.put(`${home}/.gsd/policy.json`, '{"schema":1}')
    mkdirSync(scratch.path('elsewhere'))
    symlinkSync(scratch.path(home), scratch.path('by-a-link'))
    for (const GSD_HOME of [scratch.path(home), scratch.path('by-a-link')]) {
      for (const cwd of ['elsewhere', 'project', 'home', home]) {
        const world = { env: { GSD_HOME }, cwd: scratch.path(cwd) }
        const { rows } = await scratch.list(world)
        expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ status: 'inactive', code: 'CONSENT_MISSING' }])
        expect(scratch.testContext(world).context.user.gsd).toBe(scratch.path('home/.gsd'))
      }
    }
  })

  test("that is in no repository is the user's own", async () => {
    scratch.bundle('guard', { to: 'own/.gsd/capabilities/guard' })
    const { rows } = await scratch.list({ env: { GSD_HOME: scratch.path('own') } })
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ scope: 'global', status: 'orphan' }])
  })
})
