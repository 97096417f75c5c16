import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, lstatSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GSD } from '../helpers/gsd.ts'
import { grantIn, installIn, revokeIn, updateIn } from '../helpers/operations.ts'
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
