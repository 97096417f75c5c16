import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'

let machine: Machine
beforeEach(async () => {
  machine = makeMachine('gsd-unreadable')
  const { status } = await machine.gsd(['cap', 'install', machine.bundle('one'), '--runtime', 'claude', '--yes'])
  expect(status).toBe(0)
})
afterEach(() => machine.remove())

const ONE = expect.objectContaining({ id: 'one' })
const NOTHING = { restored: [], wired: [], granted: [] }
const FINDING = { findings: expect.arrayContaining([expect.objectContaining({ code: 'STATE_UNREADABLE' })]) }

it.each<readonly [file: string, verb: string, data: unknown]>([
  ['grants.json', 'verify', { capabilities: [ONE] }],
  ['grants.json', 'outdated', { rows: [ONE] }],
  ['grants.json', 'sync', NOTHING],
  ['grants.json', 'doctor', FINDING],
  ['ledger.json', 'verify', { capabilities: [] }],
  ['ledger.json', 'outdated', { rows: [] }],
  ['ledger.json', 'sync', NOTHING],
  ['ledger.json', 'doctor', FINDING],
])('with an unreadable %s %s gives its report, names the file and ends with 4', async (name, verb, data) => {
  const file = join(machine.home, '.gsd', name)
  writeFileSync(file, '{', { mode: 0o600 })
  const run = await machine.gsd(['cap', verb, '--json'])
  expect(run.status).toBe(4)
  expect(run.json).toMatchObject(
    verb === 'doctor' ? { data } : { ok: false, error: { code: 'STATE_UNREADABLE', details: { file } }, data },
  )
  expect(readFileSync(file, 'utf8')).toBe('{')
  const shown = await machine.gsd(['cap', verb])
  expect(shown.status).toBe(4)
  expect(shown.stdout + shown.stderr).toContain(name)
  expect(shown.stdout).not.toMatch(/nothing is installed|ledger is empty/)
})
