import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GSD } from '../helpers/gsd.ts'
import {
  doctorIn,
  fixIn,
  grantIn,
  installIn,
  removeIn,
  revokeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const STORE = 'home/.gsd/grants.json'

const plant = (id: string): string => scratch.bundle(id, { to: `project/.gsd/capabilities/${id}` })

const trusted = async (): Promise<void> => {
  plant('guard')
  await grantIn(scratch.testContext().context, 'guard')
}

const statusOf = async (id: string): Promise<string | undefined> =>
  (await scratch.list()).rows.find((row) => row.id === id && row.scope === 'project')?.status

describe('a consent store that is', () => {
  test.each([
    ['cut off', (text: string) => text.slice(0, 40), 'STATE_UNREADABLE'],
    ['empty', () => '', 'STATE_UNREADABLE'],
    ['of a newer version', (text: string) => text.replace('"schema": 1', '"schema": 2'), 'STATE_NEWER_SCHEMA'],
    ['of another shape', () => '{"schema":1,"grants":[true]}', 'STATE_UNREADABLE'],
    [
      'about something else than its keys say',
      (text: string) => text.replaceAll('"id": "guard"', '"id": "other"'),
      'STATE_UNREADABLE',
    ],
  ])('%s trusts nothing, refuses every change, and is left unchanged', async (_what, spoil, code) => {
    await trusted()
    const damaged = spoil(scratch.text(STORE))
    scratch.put(STORE, damaged)
    expect(await statusOf('guard')).toBe('inactive')
    expect((await scratch.list()).warnings.map((warning) => warning.code)).toContain(code)
    const { context } = scratch.testContext()
    const bundle = scratch.bundle('other')
    for (const work of [
      () => grantIn(context, 'guard'),
      () => revokeIn(context, 'guard'),
      () => installIn(context, bundle),
      () => updateIn(context),
    ])
      expect(await scratch.refused(work)).toMatchObject({ code, exitStatus: 4 })
    expect(scratch.text(STORE)).toBe(damaged)
  })

  test('writable by everybody trusts nothing', async () => {
    await trusted()
    chmodSync(scratch.path(STORE), 0o666)
    expect(await statusOf('guard')).toBe('inactive')
    const error = await scratch.refused(() => grantIn(scratch.testContext().context, 'guard'))
    expect(error.message).toContain('everybody can write')
    chmodSync(scratch.path(STORE), 0o600)
    expect(await statusOf('guard')).not.toBe('inactive')
  })

  test('of another user trusts nothing', async () => {
    await trusted()
    expect(lstatSync(scratch.path(STORE)).mode & 0o777).toBe(0o600)
    const own = process.geteuid?.()
    // Only root can change the owner; everybody else runs the check with another uid.
    if (own === 0) chownSync(scratch.path(STORE), 65_534, 65_534)
    const restore = process.geteuid
    if (own !== 0 && own !== undefined) process.geteuid = () => own + 1
    try {
      expect(await statusOf('guard')).toBe('inactive')
      const error = await scratch.refused(() => grantIn(scratch.testContext().context, 'guard'))
      expect(error.message).toContain('another user')
    } finally {
      if (restore !== undefined) process.geteuid = restore
    }
  })
})

describe.each(['global', 'project'] as const)('in the %s scope remove and disable need no grants', (scope) => {
  test.each([
    ['garbage', () => scratch.put(STORE, '\0', 0o600)],
    ['of a newer version', () => scratch.put(STORE, '{"schema":2,"grants":{}}', 0o600)],
    ['writable by everybody', () => chmodSync(scratch.path(STORE), 0o666)],
    [
      'a folder',
      () => {
        rmSync(scratch.path(STORE))
        mkdirSync(scratch.path(STORE))
      },
    ],
    [
      'a link to nothing',
      () => {
        rmSync(scratch.path(STORE))
        symlinkSync('nowhere', scratch.path(STORE))
      },
    ],
    ['absent', () => rmSync(scratch.path(STORE))],
  ])('where grants.json is %s', async (what, spoil) => {
    const { context } = scratch.testContext()
    await installIn(context, [scratch.bundle('one'), scratch.bundle('two')], { scope, runtimes: ['claude'] })
    const settings = scope === 'global' ? scratch.settings : scratch.projectSettings
    spoil()
    const look = (): string => {
      const stats = lstatSync(scratch.path(STORE), { throwIfNoEntry: false })
      return stats?.isFile() === true ? scratch.text(STORE) : `${stats?.mode}`
    }
    const before = look()
    await setEnabledIn(context, 'disabled', 'one', { scope })
    expect(readFileSync(settings, 'utf8')).not.toContain('capabilities/one')
    await removeIn(context, 'two', { scope })
    expect(existsSync(settings)).toBe(false)
    const isUnreadable = what !== 'absent'
    if (isUnreadable) {
      for (const work of [
        () => setEnabledIn(context, 'enabled', 'one', { scope }),
        () => revokeIn(context, 'one', { scope }),
        () => syncIn(context),
      ])
        expect(await scratch.refused(work)).toMatchObject({ exitStatus: 4, details: { file: scratch.path(STORE) } })
      await fixIn(context)
      const { findings } = await doctorIn(context)
      expect(findings.filter(({ file }) => file === scratch.path(STORE)).map(({ hint }) => hint)).toContainEqual(
        expect.any(String),
      )
    }
    expect(look()).toBe(before)
  })
})

describe('two consents at once', () => {
  test('are both kept', async () => {
    const ids = ['one', 'two', 'three', 'four']
    for (const id of ids) plant(id)
    const env = { HOME: scratch.home, XDG_CACHE_HOME: scratch.path('cache'), PATH: process.env['PATH'] ?? '' }
    const ends = await Promise.all(
      ids.map(async (id) => {
        const child = spawn(process.execPath, [GSD, 'capability', 'trust', 'grant', id, '--yes'], {
          cwd: scratch.project,
          env,
          stdio: 'ignore',
        })
        return (await once(child, 'exit'))[0] as number
      }),
    )
    expect(ends).toEqual([0, 0, 0, 0])
    const { grants } = JSON.parse(readFileSync(scratch.path(STORE), 'utf8')) as {
      grants: Record<string, { id: string }>
    }
    expect(
      Object.values(grants)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })
})
