import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitForExit, type Machine, makeMachine, type Run } from '../helpers/gsd.ts'
import { treeState } from '../helpers/scratch.ts'

const SETTINGS = '{\n\t"model": "opus", // mine\n\t"hooks": { "Stop": [ ] }\n}'
const IDS = Array.from({ length: 10 }, (_, at) => `guard-${at}`)

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
  for (const id of IDS) bundle(id)
  put('home/.claude/settings.json', SETTINGS)
})
afterEach(() => machine.remove())

const put: Machine['put'] = (...args) => machine.put(...args)
const bundle: Machine['bundle'] = (...args) => machine.bundle(...args)
const settings = (): string => readFileSync(join(machine.home, '.claude/settings.json'), 'utf8')
const install = (id: string, ...more: readonly string[]): Promise<Run> =>
  machine.gsd(['cap', 'install', `../bundles/${id}`, '--runtime', 'claude', '--yes', ...more])
const allDone = (runs: readonly Run[]): void => {
  for (const { status, stderr } of runs) expect({ status, stderr }).toMatchObject({ status: 0 })
}
const ledger = (): string[] => {
  const file = join(machine.home, '.gsd/ledger.json')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{"capabilities":{}}'
  return Object.keys((JSON.parse(text) as { readonly capabilities: object }).capabilities)
}

describe('many processes at once', () => {
  it('install ten capabilities into one settings file and remove them again: nothing is lost, nothing is left', async () => {
    const before = treeState(machine.root)
    allDone(await Promise.all(IDS.map((id) => install(id))))
    expect(ledger()).toEqual(IDS)
    for (const id of IDS) expect(settings().split(`/${id}/hooks/run.sh`)).toHaveLength(2)
    expect(readdirSync(join(machine.home, '.gsd')).filter((name) => name.startsWith('.'))).toEqual(['.gitignore'])
    allDone(await Promise.all(IDS.map((id) => machine.gsd(['cap', 'remove', id]))))
    expect(settings()).toBe(SETTINGS)
    expect(treeState(machine.root)).toEqual(before)
  })

  it('installing the same capability: one does it, and the others report nothing to do', async () => {
    const runs = await Promise.all(IDS.slice(0, 6).map(() => install('guard-0', '--json')))
    allDone(runs)
    const installed = runs.filter(({ json }) => (json.data['installed'] as readonly unknown[]).length > 0)
    expect(installed).toHaveLength(1)
    expect(settings().split('run.sh')).toHaveLength(2)
  })

  it('in the home and in the project at once: both are installed', async () => {
    allDone(
      await Promise.all(IDS.slice(0, 6).map((id, at) => install(id, '--scope', at % 2 === 0 ? 'global' : 'project'))),
    )
    expect(ledger()).toEqual(['guard-0', 'guard-2', 'guard-4'])
    const own = readFileSync(join(machine.project, '.claude/settings.local.json'), 'utf8')
    expect(own.match(/run\.sh/g)).toHaveLength(3)
  })

  it('never remove a capability that another one begins to require', async () => {
    bundle('top', { requires: ['guard-0'] })
    allDone([await install('guard-0')])
    const [top, base] = await Promise.all([install('top'), machine.gsd(['cap', 'remove', 'guard-0'])])
    expect([top, base].filter(({ status }) => status === 0)).toHaveLength(1)
    expect(ledger()).toEqual(top.status === 0 ? ['guard-0', 'top'] : [])
  })
})

describe('a process that is killed at any time', () => {
  it('leaves the old state or the new one, host settings included, for the next command', async () => {
    const before = treeState(machine.root)
    allDone([await install('guard-0')])
    const wired = settings()
    await machine.gsd(['cap', 'remove', 'guard-0'])
    for (const after of [100, 140, 170, 200, 240]) {
      const child = machine.start(['cap', 'install', '../bundles/guard-0', '--runtime', 'claude', '--yes'])
      const timer = setTimeout(() => child.kill('SIGKILL'), after)
      await waitForExit(child)
      clearTimeout(timer)
      const list = await machine.gsd(['cap', 'list', '--json'])
      const rows = list.json.data['capabilities'] as readonly { readonly id: string; readonly status: string }[]
      const row = rows.find(({ id }) => id === 'guard-0')
      expect(settings()).toBe(row === undefined ? SETTINGS : wired)
      if (row !== undefined) expect(row.status).toBe('active')
      if (row !== undefined) allDone([await machine.gsd(['cap', 'remove', 'guard-0'])])
      expect(treeState(machine.root)).toEqual(before)
    }
  })
})
