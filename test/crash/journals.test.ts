import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FULL } from '../helpers/full-run.ts'
import { journalScenarios, type JournalScenario } from '../helpers/journal-scenarios.ts'
import { everyFault, everyKillPoint, everyLastingFault, oneFault } from '../helpers/kill-points.ts'
import { everyPowerCut } from '../helpers/power-cuts.ts'

let root = ''
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'gsd-crash-'))), 'world')
})
afterEach(() => {
  rmSync(dirname(root), { recursive: true, force: true })
})

const NAMES = Object.keys(journalScenarios('/'))
/** Every nth point is tried. */
const EVERY = FULL ? 1 : 3

/** Created for each test, in its own folder. */
const scenarioOf = (name: string): JournalScenario => {
  const scenario = journalScenarios(root)[name]
  if (scenario === undefined) throw new Error(name)
  return scenario
}

describe('an operation that is killed at any call is finished or undone by the next process', () => {
  test.each(NAMES)('%s', async (name) => {
    const { points } = await everyKillPoint(root, scenarioOf(name), { every: EVERY })
    expect(points).toBeGreaterThan(20 / EVERY)
  })
})

describe('a recovery that is killed too is finished by the one after it', () => {
  test.each(NAMES)('%s', async (name) => {
    const { points } = await everyKillPoint(root, scenarioOf(name), { again: 5, every: 7 })
    expect(points).toBeGreaterThan(20)
  })
})

describe('an operation that loses power at any call is finished or undone by the next process', () => {
  test.each(NAMES)('%s', async (name) => {
    expect(await everyPowerCut(root, scenarioOf(name))).toBeGreaterThan(20)
  })
})

describe('an operation in which one call fails is refused and changes nothing, or succeeds', () => {
  test.each(NAMES)('%s', async (name) => {
    const { points } = await everyFault(root, scenarioOf(name), { errnos: ['ENOSPC'], every: EVERY })
    expect(points).toBeGreaterThan(50 / EVERY)
  })

  test.each(['EACCES', 'EINTR', 'EIO', 'EMFILE', 'EROFS', 'EXDEV'])('for any reason: %s', async (errno) => {
    const { points } = await everyFault(root, scenarioOf('an update in place'), { errnos: [errno], every: 4 * EVERY })
    expect(points).toBeGreaterThan(20 / EVERY)
  })
})

describe('a disk that is full', () => {
  test.each(NAMES)('from any call on loses nothing: %s', async (name) => {
    const { points } = await everyLastingFault(root, scenarioOf(name), {
      fault: (at) => ({ kind: 'full', at }),
      every: 3,
    })
    expect(points).toBeGreaterThan(20)
  })

  test.each(NAMES)('so that writes accept one byte at a time changes nothing: %s', async (name) => {
    expect(await oneFault(root, scenarioOf(name), { kind: 'short' })).toBeNull()
  })
})
