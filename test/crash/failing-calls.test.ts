import { describe, expect, test } from 'vitest'
import { CRASH_TIMEOUT, useCrashFixture } from '../helpers/crash-fixture.ts'
import { ENTRY, type Fault } from '../helpers/fault-disk.ts'
import { FULL } from '../helpers/full-run.ts'
import {
  eachFault,
  everyFault,
  everyLastingFault,
  everyDisappearance,
  oneFault,
  type Scenario,
} from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'

const room = useCrashFixture('failing calls of operations')

const scenarioOf = (name: string): Scenario => {
  const scenario = operationScenarios(room.root)[name]
  if (scenario === undefined) throw new Error(name)
  return scenario
}

const ALL_NAMES = Object.keys(operationScenarios('/'))
const QUICK_NAMES = [
  'install the first capability, with settings of the user',
  'install the first capability in a project, with settings to be made',
  'update over a file that was edited',
  'remove what made files in its folder',
  'enable',
  'sync a fresh clone',
]
const DOCTOR_FIX = 'mend what the doctor finds'
/** A host whose file cannot be used is skipped with a warning; the rest of the sync goes on. */
const HOST_SKIPPED = { name: 'sync a fresh clone', errnos: ['EROFS', 'EACCES', 'EPERM', 'EXDEV', 'EBUSY'] }
const NAMES = FULL ? ALL_NAMES : QUICK_NAMES

describe('after one call that fails the operation succeeds, or is refused and changes nothing', () => {
  test.each(NAMES)(
    '%s',
    async (name) => {
      const errnos = FULL
        ? ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EXDEV', 'EMFILE', 'ENFILE', 'EIO', 'EINTR', 'EBUSY']
        : ['ENOSPC', 'EACCES', 'EIO', 'EMFILE', 'EINTR']
      // A file that cannot be read is not adopted, and the rest is fixed anyway.
      const expected = name === DOCTOR_FIX ? errnos.filter((errno) => errno !== 'EACCES' && errno !== 'EPERM') : errnos
      const skipping = expected.filter((errno) => name === HOST_SKIPPED.name && HOST_SKIPPED.errnos.includes(errno))
      const { points } = await everyFault(room.root, scenarioOf(name), {
        errnos: expected.filter((errno) => !skipping.includes(errno)),
        every: FULL ? 1 : 37,
        // These need no readable grants; the grant of what is gone stays then.
        ...(/^(remove|disable)/.test(name) ? { mayDiffer: 'home/.gsd/grants.json' } : {}),
      })
      await everyFault(room.root, scenarioOf(name), {
        errnos: skipping,
        every: FULL ? 1 : 37,
        mayDiffer: 'project/.claude/settings.local.json',
      })
      expect(room.covered(points)).toBeGreaterThan(15)
    },
    CRASH_TIMEOUT,
  )
})

describe('on a disk that fails for good the operation succeeds or changes nothing, and the next command undoes the rest', () => {
  const failing = { EROFS: 'changes', EACCES: 'changes', EMFILE: 'opens', EIO: 'all' } as const
  const cases = NAMES.flatMap((name) => Object.entries(failing).map(([errno, calls]) => ({ name, errno, calls })))
  test.each(cases)(
    '$name: $errno',
    async ({ name, errno, calls }) => {
      const fault = (at: number): Fault => ({ kind: 'lasting', at, errno, calls })
      const { points } = await everyLastingFault(room.root, scenarioOf(name), { fault, every: FULL ? 1 : 61 })
      expect(room.covered(points)).toBeGreaterThan(1)
    },
    CRASH_TIMEOUT,
  )
})

describe('at every level of free space nothing is lost and nothing is left', () => {
  test.each(NAMES.flatMap((name) => ['ENOSPC', 'EDQUOT'].map((errno) => ({ name, errno }))))(
    '$name: $errno',
    async ({ name, errno }) => {
      const [most, step] = FULL ? [400 * ENTRY, 193] : [200 * ENTRY, 1511]
      const levels = Array.from({ length: Math.ceil(most / step) }, (_, level) => level * step)
      const ends = await eachFault(
        room.root,
        scenarioOf(name),
        levels.map((bytes) => ({ kind: 'space', bytes, errno })),
      )
      room.covered(ends.length)
      const refused = ends.filter((end) => end !== null)
      expect([...new Set(refused.map(({ code, exitStatus }) => `${code} ${exitStatus}`))].sort()).toEqual([
        'LOCK_FAILED 5',
        'STATE_DISK_FULL 5',
      ])
      // More space never gives a worse result, and the largest disk is large enough.
      expect(ends.indexOf(null)).toBe(refused.length)
    },
    CRASH_TIMEOUT,
  )
})

describe('a file that vanishes between two reads of it', () => {
  test.each(NAMES.filter((name) => name !== DOCTOR_FIX))(
    'affects nothing else: %s',
    async (name) => {
      const { points } = await everyDisappearance(room.root, scenarioOf(name), {
        every: FULL ? 1 : 23,
        mayVanish: (path) => !/\.journal\.json$|\/\.lock\/|\/(?:grants|hosts|ledger|state)\.json$/.test(path),
      })
      expect(room.covered(points)).toBeGreaterThan(1)
    },
    CRASH_TIMEOUT,
  )
})

test.each(NAMES)('a cache on another device is copied from: %s', async (name) => {
  expect(await oneFault(room.root, scenarioOf(name), { kind: 'device', within: `${room.root}/cache` })).toBeNull()
})

test.each(NAMES)('writes that accept one byte at a time give the same result: %s', async (name) => {
  expect(await oneFault(room.root, scenarioOf(name), { kind: 'short' })).toBeNull()
})
