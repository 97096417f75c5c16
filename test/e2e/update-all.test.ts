import { appendFileSync, cpSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'

let machine: Machine
beforeEach(() => {
  machine = makeMachine('gsd-update-all')
})
afterEach(() => machine.remove())

const bundle = (id: string, version: string): string => machine.bundle(id, { version })

it('updates every capability it can, names the others, and ends with 5', async () => {
  const [exists, goes] = [bundle('stays', '1.0.0'), bundle('goes', '1.0.0')]
  expect(await machine.gsd(['cap', 'install', exists, goes, '--yes'])).toMatchObject({ status: 0 })
  bundle('stays', '1.1.0')
  renameSync(goes, `${goes}-away`)
  const run = await machine.gsd(['cap', 'update', '--all', '--yes', '--json'])
  expect(run.status).toBe(5)
  expect(run.json.data).toMatchObject({
    updated: [{ id: 'stays', from: '1.0.0', version: '1.1.0' }],
    failed: [{ id: 'goes', error: { code: 'FETCH_NOT_FOUND' } }],
  })
  const again = await machine.gsd(['cap', 'update', '--all'])
  expect(again.status).toBe(5)
  expect(again.stdout).toContain('stays is up to date')
  expect(again.stdout).toContain('skipped goes')
  expect(again.stderr).toContain('does not exist')
  cpSync(`${goes}-away`, goes, { recursive: true })
  expect(await machine.gsd(['cap', 'update', '--all'])).toMatchObject({ status: 0 })
})

it('ends with the status of the update that was left out, and gives its hint', async () => {
  expect(
    await machine.gsd(['cap', 'install', bundle('mine', '1.0.0'), bundle('other', '1.0.0'), '--yes']),
  ).toMatchObject({ status: 0 })
  for (const id of ['mine', 'other']) bundle(id, '1.1.0')
  writeFileSync(join(bundle('other', '1.0.0'), 'README.md'), 'more\n')
  appendFileSync(join(machine.home, '.gsd/capabilities/mine/hooks/run.sh'), '# mine\n')
  const run = await machine.gsd(['cap', 'update', '--all', '--yes'])
  expect(run.status).toBe(4)
  expect(run.stdout).toContain('updated other 1.0.0 → 1.0.0 (global): same version, changed content')
  expect(run.stderr).toMatch(/"mine" was skipped: files .* were changed by hand[^]*hint: --force/)
})
