import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { CRASH_TIMEOUT } from '../helpers/crash-fixture.ts'
import { FULL } from '../helpers/full-run.ts'
import { waitForExit, GSD, type Machine, makeMachine } from '../helpers/gsd.ts'
import { copyTree, differences, treeOf } from '../helpers/tree.ts'

const KILLS = FULL ? 60 : 7
let machine: Machine
let [kills, midway] = [0, 0]
beforeEach(() => {
  machine = makeMachine()
})
afterEach(() => {
  machine.remove()
  rmSync(start(), { recursive: true, force: true })
})
afterAll(
  () =>
    void process.stdout.write(
      `covered ${kills} SIGKILLs of the built program, ${midway} of them in the middle of a change\n`,
    ),
)

const start = (): string => `${machine.root}.start`
const put: Machine['put'] = (...args) => machine.put(...args)
const bundle: Machine['bundle'] = (...args) => machine.bundle(...args)
const newer = (): void =>
  void bundle('one', { version: '2.0.0', hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] }, { 'a.md': 'a' })

const install = (...ids: readonly string[]): string[] => {
  const specs = ids.map((id) => `../bundles/${id}`)
  return ['cap', 'install', ...specs, '--runtime', 'claude,codex', '--yes']
}

const CASES: Readonly<
  Record<string, { readonly before: readonly (string[] | (() => void))[]; readonly run: string[] }>
> = {
  'install several': { before: [install('zero')], run: install('one', 'two', 'three') },
  'install in a project': { before: [], run: [...install('one'), '--scope', 'project'] },
  update: { before: [install('one', 'two'), newer], run: ['cap', 'update', 'one', '--yes'] },
  'remove several': { before: [install('one', 'two', 'three')], run: ['cap', 'remove', 'one', 'three'] },
  disable: { before: [install('one', 'two')], run: ['cap', 'disable', 'one'] },
  sync: {
    before: [
      [...install('one', 'two'), '--scope', 'project'],
      () => rmSync(join(machine.project, '.gsd/capabilities'), { recursive: true }),
      () => rmSync(join(machine.project, '.claude'), { recursive: true }),
    ],
    run: ['cap', 'sync'],
  },
}

/** Everything except the cache and the time of consent. */
const state = (): string[] =>
  treeOf(machine.root, { without: ['cache'] }).map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'))

const resetMachine = (): void => {
  rmSync(machine.root, { recursive: true, force: true })
  copyTree(start(), machine.root)
}

/** Kills some time after the start, or some time after the lock was acquired, when changes begin. */
const killedRun = async (args: readonly string[], duration: number, atLock: boolean): Promise<void> => {
  const child = spawn(process.execPath, [GSD, ...args], {
    cwd: machine.project,
    env: { ...machine.env },
    stdio: 'ignore',
  })
  const over = waitForExit(child)
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const random = Math.random()
  if (atLock) while (!isOver() && !existsSync(join(machine.home, '.gsd/.lock'))) await turn()
  await sleep(random * (atLock ? duration / 4 : duration))
  child.kill('SIGKILL')
  await over
}

test.each(Object.entries(CASES))(
  'killed at %s, the next command finds the old state or the new one',
  async (_, { before, run }) => {
    for (const id of ['zero', 'one', 'two', 'three']) bundle(id)
    put('home/.claude/settings.json', '// mine\n{\n\t"model": "x",\n\t"hooks": { "Stop": [ ] }, \n}', 0o600)
    for (const step of before) {
      if (typeof step === 'function') step()
      else expect(await machine.gsd(step)).toMatchObject({ status: 0 })
    }
    copyTree(machine.root, start())
    const old = state()
    const began = performance.now()
    expect(await machine.gsd(run)).toMatchObject({ status: 0 })
    const duration = performance.now() - began
    const fresh = state()
    for (let kill = 0; kill < KILLS; kill += 1) {
      resetMachine()
      await killedRun(run, duration, kill % 2 === 0)
      kills += 1
      if (differences(state(), old).length > 0 && differences(state(), fresh).length > 0) midway += 1
      const list = await machine.gsd(['cap', 'list', '--json'])
      expect(list).toMatchObject({ status: 0 })
      expect(list.stderr.match(/interrupted/g)?.length ?? 0).toBeLessThan(2)
      const found = state()
      const [toOld, toNew] = [differences(old, found), differences(fresh, found)]
      if (toOld.length > 0) expect(toNew).toEqual([])
    }
  },
  CRASH_TIMEOUT,
)
