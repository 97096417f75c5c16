import { chmodSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import { doctorIn, grantIn, revokeIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const OWN = 'home/.gsd/grants.json'
const FORMER = 'home/.gsd/consent.json'

const plant = (id: string): string => scratch.bundle(id, { to: `project/.gsd/capabilities/${id}` })
const exists = (path: string): boolean => {
  try {
    return lstatSync(scratch.path(path)) !== undefined
  } catch {
    return false
  }
}

/** A home of an earlier version: the user's grants are in `consent.json`. */
const former = async (...ids: readonly string[]): Promise<string> => {
  for (const id of ids) plant(id)
  await grantIn(scratch.testContext().context, ids)
  renameSync(scratch.path(OWN), scratch.path(FORMER))
  return scratch.text(FORMER)
}

const statusOf = async (id: string): Promise<string | undefined> =>
  (await scratch.list()).rows.find((row) => row.id === id && row.scope === 'project')?.status
const change = async (id = 'other'): Promise<unknown> => {
  plant(id)
  return grantIn(scratch.testContext().context, id)
}
const grantedIds = (): string[] =>
  Object.values((JSON.parse(scratch.text(OWN)) as { grants: Record<string, { id: string }> }).grants)
    .map(({ id }) => id)
    .toSorted()

const GSD_CORE = '{"version":3,"consents":[{"capability":"guard","at":"2026-01-01"}]}\n'

describe('grants of an earlier version in consent.json', () => {
  test('apply before anything is written, and are copied by the first change, the old file left unchanged', async () => {
    const text = await former('guard')
    expect(await statusOf('guard')).not.toBe('inactive')
    expect(exists(OWN)).toBe(false)
    await change()
    expect(scratch.text(FORMER)).toBe(text)
    expect(grantedIds()).toEqual(['guard', 'other'])
    expect(lstatSync(scratch.path(OWN)).mode & 0o777).toBe(0o600)
  })

  test.each(['revoked', 'deleted with the file'])(
    'are copied once: a grant that is %s later does not return',
    async (how) => {
      const text = await former('guard')
      await change()
      if (how === 'revoked') await revokeIn(scratch.testContext().context, ['guard', 'other'])
      else rmSync(scratch.path(OWN))
      expect(exists(OWN)).toBe(false)
      expect(await statusOf('guard')).toBe('inactive')
      await change('third')
      expect(grantedIds()).toEqual(['third'])
      expect(scratch.text(FORMER)).toBe(text)
    },
  )

  test('are not copied if grants.json exists already, neither now nor later', async () => {
    await change()
    const own = scratch.text(OWN)
    await former('guard')
    scratch.put(OWN, own, 0o600)
    expect(await statusOf('guard')).toBe('inactive')
    await change('third')
    expect(grantedIds()).toEqual(['other', 'third'])
    rmSync(scratch.path(OWN))
    expect(await statusOf('guard')).toBe('inactive')
  })

  test('are copied through a link, and the link and its target stay', async () => {
    const text = await former('guard')
    renameSync(scratch.path(FORMER), scratch.path('dotfiles-consent.json'))
    symlinkSync(scratch.path('dotfiles-consent.json'), scratch.path(FORMER))
    await change()
    expect(grantedIds()).toEqual(['guard', 'other'])
    expect(readlinkSync(scratch.path(FORMER))).toBe(scratch.path('dotfiles-consent.json'))
    expect(scratch.text('dotfiles-consent.json')).toBe(text)
    expect(lstatSync(scratch.path(OWN)).isSymbolicLink()).toBe(false)
  })

  test('are copied from a read-only file, which stays so', async () => {
    const text = await former('guard')
    chmodSync(scratch.path(FORMER), 0o400)
    await change()
    expect(grantedIds()).toEqual(['guard', 'other'])
    expect(lstatSync(scratch.path(FORMER)).mode & 0o777).toBe(0o400)
    expect(scratch.text(FORMER)).toBe(text)
  })

  test.each([
    ['mixed with members of another program', (text: string) => text.replace('{', '{"consents":[],')],
    ['with one record that is not ours', (text: string) => text.replace('"grants": {', '"grants": {"x@global":true,')],
    ['cut off', (text: string) => text.slice(0, 60)],
    ['garbage', () => '\0\0\0'],
    ['empty', () => ''],
    ['of a newer version', (text: string) => text.replace('"schema": 1', '"schema": 2')],
  ])('%s are ignored with a warning, and nothing is refused', async (_what, spoil) => {
    const damaged = spoil(await former('guard'))
    scratch.put(FORMER, damaged)
    expect(await statusOf('guard')).toBe('inactive')
    const { warnings } = await scratch.list()
    expect(warnings.filter(({ file }) => file === scratch.path(FORMER))).toMatchObject([{ code: 'CONSENT_MISSING' }])
    await change()
    expect(grantedIds()).toEqual(['other'])
    expect(scratch.text(FORMER)).toBe(damaged)
    expect((await scratch.list()).warnings.filter(({ file }) => file === scratch.path(FORMER))).toEqual([])
  })

  test.each(['a link to nothing', 'writable by everybody'])('in %s are ignored with a warning', async (what) => {
    await former('guard')
    if (what === 'a link to nothing') {
      rmSync(scratch.path(FORMER))
      symlinkSync('nowhere', scratch.path(FORMER))
    } else chmodSync(scratch.path(FORMER), 0o666)
    expect(await statusOf('guard')).toBe('inactive')
    await change()
    expect(grantedIds()).toEqual(['other'])
  })
})

describe('a consent.json of another shape in the same folder', () => {
  test.each([GSD_CORE, '{}', '{"schema":1,"grants":["guard"]}', '{"schema":1}'])('is ignored: %s', async (text) => {
    scratch.put(FORMER, text, 0o644)
    plant('guard')
    expect((await scratch.list()).warnings.filter(({ file }) => file === scratch.path(FORMER))).toEqual([])
    await grantIn(scratch.testContext().context, 'guard')
    expect(await statusOf('guard')).not.toBe('inactive')
    expect(scratch.text(FORMER)).toBe(text)
    expect(exists('home/.gsd/.grants-adopted')).toBe(false)
    const { findings } = await doctorIn(scratch.testContext().context)
    expect(findings.filter(({ message }) => message.includes('consent.json'))).toEqual([])
  })
})

describe('an interrupted operation of an earlier version', () => {
  const journal = (changes: readonly object[]): string =>
    JSON.stringify({
      schema: 1,
      operation: 'abc123-0123456789ab',
      command: 'trust grant guard',
      scope: 'global',
      root: scratch.home,
      changes,
    })
  const recover = () => recoverAllScopes(scratch.testContext().context)

  test.each(['before', 'after'])('%s its last change is undone or finished in grants.json', async (when) => {
    const text = await former('guard', 'other')
    const [key = '', record] = Object.entries((JSON.parse(text) as { grants: Record<string, unknown> }).grants)[0] ?? []
    const changes: object[] = [{ kind: 'record', store: 'consent', key: ['grants', key], before: null, after: record }]
    if (when === 'before')
      changes.push({ kind: 'record', store: 'ledger', key: ['capabilities', 'guard'], before: null, after: { x: 1 } })
    scratch.put('home/.gsd/.journal.json', journal(changes), 0o600)
    scratch.put('home/.gsd/.consent.json.gsd-abc123-0123456789ab', '{', 0o600)
    await recover()
    expect(exists('home/.gsd/.journal.json')).toBe(false)
    expect(exists('home/.gsd/.consent.json.gsd-abc123-0123456789ab')).toBe(false)
    expect(grantedIds()).toEqual(when === 'before' ? ['other'] : ['guard', 'other'])
    expect(scratch.text(FORMER)).toBe(text)
  })

  test('is undone if its consent.json has another shape since', async () => {
    scratch.put(FORMER, GSD_CORE)
    const changes = [
      { kind: 'record', store: 'consent', key: ['grants', 'x@global'], before: null, after: { id: 'x' } },
    ]
    scratch.put('home/.gsd/.journal.json', journal(changes), 0o600)
    await recover()
    expect(exists('home/.gsd/.journal.json')).toBe(false)
    expect(scratch.text(FORMER)).toBe(GSD_CORE)
    expect(exists(OWN)).toBe(false)
  })
})
