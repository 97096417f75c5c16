import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readLedger } from '../../src/state/ledger.ts'
import { CRASH_TIMEOUT } from '../helpers/crash-fixture.ts'
import { FULL } from '../helpers/full-run.ts'
import { waitForExit, type Machine, makeMachine, type Run } from '../helpers/gsd.ts'
import { installIn, removeIn } from '../helpers/operations.ts'
import { treeState } from '../helpers/scratch.ts'
import { makeTestContext } from '../helpers/test-context.ts'
import { differences } from '../helpers/tree.ts'

const PROCESSES = FULL ? 150 : 25
const SETTINGS = '{\n\t"model": "opus", // mine\n\t"hooks": { "Stop": [ ] }\n}'

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
  put('home/.claude/settings.json', SETTINGS)
})
afterEach(() => machine.remove())

const put: Machine['put'] = (...args) => machine.put(...args)
const bundle: Machine['bundle'] = (...args) => machine.bundle(...args)
const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name}-${at}`)
const refusals = (runs: readonly Run[]): string[] =>
  runs.filter(({ status }) => status !== 0).map(({ stderr }) => stderr)

/** Id → version of the installed capabilities of a scope. */
const installed = (scope: 'global' | 'project'): Record<string, string> => {
  const { context } = makeTestContext(machine.root)
  const ledger = readLedger(context.disk, context[scope] ?? context.global)
  if (ledger.state === 'unreadable') throw new Error(ledger.diagnostic.message)
  const entries = ledger.state === 'ok' ? [...ledger.value.capabilities] : []
  return Object.fromEntries(entries.map(([id, { version }]) => [id, version]))
}

const settingsOf = (scope: 'global' | 'project'): string =>
  readFileSync(
    scope === 'global'
      ? join(machine.home, '.claude/settings.json')
      : join(machine.project, '.claude/settings.local.json'),
    'utf8',
  )

/** Files of a running operation, anywhere below the machine. */
const leftovers = (): string[] =>
  treeState(machine.root, { skeleton: true }).filter((line) =>
    /\/\.(?:lock|running|staging|trash|journal)|\.gsd-[0-9a-z]+-/.test(line),
  )

describe(`${PROCESSES} processes at once`, () => {
  test.each([
    ['in one scope', ['global', 'global']],
    ['in two scopes', ['global', 'project']],
  ] as const)(
    'that install, update and remove %s lose nothing, wait for each other and all succeed',
    async (_, scopes) => {
      const third = Math.floor(PROCESSES / 3)
      const [stale, kept, fresh] = [
        numbered('old', third),
        numbered('kept', third),
        numbered('new', PROCESSES - 2 * third),
      ]
      const scopeOf = (at: number) => scopes[at % 2] ?? 'global'
      const { context } = makeTestContext(machine.root)
      for (const scope of new Set(scopes)) {
        const own = (ids: readonly string[]): string[] => ids.filter((_id, at) => scopeOf(at) === scope)
        const ids = [...own(stale), ...own(kept)]
        await installIn(
          context,
          ids.map((id) => bundle(id)),
          { scope, runtimes: ['claude'] },
        )
      }
      for (const id of kept) bundle(id, { version: '2.0.0' })
      const runs = await Promise.all([
        ...fresh.map((id, at) =>
          machine.gsd(['cap', 'install', bundle(id), '--scope', scopeOf(at), '--runtime', 'claude', '--yes']),
        ),
        ...kept.map((id, at) => machine.gsd(['cap', 'update', id, '--scope', scopeOf(at), '--yes'])),
        ...stale.map((id, at) => machine.gsd(['cap', 'remove', id, '--scope', scopeOf(at)])),
      ])
      expect(refusals(runs)).toEqual([])
      for (const scope of new Set(scopes)) {
        const expected = [
          ...kept.map((id, at) => ({ id, at, version: '2.0.0' })),
          ...fresh.map((id, at) => ({ id, at, version: '1.0.0' })),
        ].filter(({ at }) => scopeOf(at) === scope)
        expect(installed(scope)).toEqual(Object.fromEntries(expected.map(({ id, version }) => [id, version])))
        const text = settingsOf(scope)
        for (const { id } of expected) expect(text.split(`/${id}/hooks/run.sh`)).toHaveLength(2)
        for (const id of stale) expect(text).not.toContain(`/${id}/`)
      }
      expect(leftovers()).toEqual([])
      expect(await machine.gsd(['cap', 'verify'])).toMatchObject({ status: 0 })
      const both = { global: Object.keys(installed('global')), project: Object.keys(installed('project')) }
      for (const scope of new Set(scopes)) await removeIn(context, both[scope], { scope })
      expect(settingsOf('global')).toBe(SETTINGS)
    },
    CRASH_TIMEOUT,
  )
})

describe('a killed holder of the lock', () => {
  test('is noticed at once by every waiting process', async () => {
    const ids = numbered('cap', 8)
    for (const id of ids) bundle(id)
    const [first, ...others] = ids.map((id) =>
      machine.start(['cap', 'install', `../bundles/${id}`, '--runtime', 'claude', '--yes']),
    )
    if (first === undefined) throw new Error('nothing was started')
    while (!existsSync(join(machine.home, '.gsd/.lock')) && first.exitCode === null) await turn()
    first.kill('SIGKILL')
    const runs = await Promise.all(others.map((child) => waitForExit(child)))
    expect(refusals(runs)).toEqual([])
    await machine.gsd(['cap', 'list'])
    const movedTo = Object.keys(installed('global'))
    expect(movedTo.filter((id) => id !== 'cap-0')).toEqual(ids.slice(1))
    for (const id of ids) expect(settingsOf('global').includes(`/${id}/`)).toBe(movedTo.includes(id))
    expect(leftovers()).toEqual([])
  })
})

describe('a clock that jumps', () => {
  test('backward or forward between processes, and while they wait, changes nothing', async () => {
    const year = 365 * 24 * 60 * 60 * 1000
    const before = treeState(machine.root)
    const ids = numbered('cap', 6)
    await Promise.all(
      ids.map((id, at) => {
        const { context } = makeTestContext(machine.root)
        let calls = 0
        const now = (): number => Date.now() + (((at + (calls += 1)) % 3) - 1) * 10 * year
        return installIn({ ...context, now }, bundle(id), { runtimes: ['claude'] })
      }),
    )
    expect(Object.keys(installed('global'))).toEqual(ids)
    expect(leftovers()).toEqual([])
    await removeIn({ ...makeTestContext(machine.root).context, now: () => 0 }, ids)
    expect(differences(before, treeState(machine.root)).filter((line) => !line.includes('bundles/'))).toEqual([])
  })
})

describe('a second user without permission to write', () => {
  const NOBODY = 65_534
  /** Root may write anywhere, so it changes its user; for anyone else the modes apply. */
  const asOther = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const closed = (): string[] => [
    machine.home,
    join(machine.home, '.gsd'),
    join(machine.home, '.claude'),
    machine.project,
  ]

  test('can read, and every change is refused with the reason; nothing is lost and nothing is left', async () => {
    chmodSync(machine.root, 0o755)
    await machine.gsd(['cap', 'install', bundle('one'), '--runtime', 'claude', '--yes'])
    mkdirSync(join(machine.root, 'cache-of-other'))
    chmodSync(join(machine.root, 'cache-of-other'), 0o777)
    const env = { XDG_CACHE_HOME: join(machine.root, 'cache-of-other') }
    const before = treeState(machine.root).filter((line) => !line.startsWith('cache'))
    for (const folder of closed()) chmodSync(folder, 0o555)
    try {
      const list = await machine.gsd(['cap', 'list', '--json'], { ...asOther, env })
      expect(list).toMatchObject({ status: 0 })
      bundle('two')
      for (const line of [
        ['cap', 'install', '../bundles/two', '--yes'],
        ['cap', 'install', '../bundles/two', '--yes', '--scope', 'project'],
        ['cap', 'remove', 'one'],
        ['cap', 'disable', 'one'],
        ['cap', 'doctor', '--fix'],
      ]) {
        const run = await machine.gsd(line, { ...asOther, env })
        // 4: the consent of the first user is not even readable.
        expect({ line, status: run.status, isRefused: run.status === 4 || run.status === 5 }).toMatchObject({
          isRefused: true,
        })
        expect(run.stderr + run.stdout).toMatch(/permission denied|not permitted/)
      }
    } finally {
      for (const folder of closed()) chmodSync(folder, 0o755)
    }
    const after = treeState(machine.root).filter((line) => !line.startsWith('cache') && !line.includes('bundles/two'))
    expect(differences(before, after)).toEqual([])
  })

  test('who cannot remove files that another user left is told so, and can still read', async () => {
    chmodSync(machine.root, 0o755)
    const child = machine.start(['cap', 'install', bundle('one'), '--runtime', 'claude', '--yes'])
    while (!existsSync(join(machine.home, '.gsd/.journal.json')) && child.exitCode === null) await turn()
    child.kill('SIGKILL')
    await once(child, 'close')
    for (const folder of closed()) if (existsSync(folder)) chmodSync(folder, 0o555)
    const cacheOfOther = join(machine.root, 'cache-of-other')
    mkdirSync(cacheOfOther)
    chmodSync(cacheOfOther, 0o777)
    try {
      const list = await machine.gsd(['cap', 'list'], { ...asOther, env: { XDG_CACHE_HOME: cacheOfOther } })
      expect(list).toMatchObject({ status: 0 })
      if (existsSync(join(machine.home, '.gsd/.journal.json'))) expect(list.stderr).toContain('interrupted')
    } finally {
      for (const folder of closed()) if (existsSync(folder)) chmodSync(folder, 0o755)
    }
    await machine.gsd(['cap', 'list'])
    expect(leftovers()).toEqual([])
    expect(readdirSync(join(machine.home, '.claude'))).toEqual(['settings.json'])
  })
})
