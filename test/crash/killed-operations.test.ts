import { describe, expect, test } from 'vitest'
import { CRASH_TIMEOUT, useCrashFixture } from '../helpers/crash-fixture.ts'
import { FULL } from '../helpers/full-run.ts'
import { everyKillPoint, type Scenario } from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'

const room = useCrashFixture('kill points of operations')

const NAMES = Object.keys(operationScenarios('/'))
/** The interval of the sampled calls. */
const QUICK = 11

const scenarioOf = (name: string): Scenario => {
  const scenario = operationScenarios(room.root)[name]
  if (scenario === undefined) throw new Error(name)
  return scenario
}

describe('an operation that is killed at any call is finished or undone by the next command, even one that only reads', () => {
  test.each(NAMES)(
    '%s',
    async (name) => {
      const { points, calls } = await everyKillPoint(room.root, scenarioOf(name), { every: FULL ? 1 : QUICK })
      const changes = calls.filter(({ change }) => change !== null).length
      expect(room.covered(points)).toBeGreaterThanOrEqual(FULL ? changes : changes / QUICK)
    },
    CRASH_TIMEOUT,
  )
})

if (FULL)
  describe('a recovery that is killed too is finished by the command after it', () => {
    test.each(NAMES)(
      '%s',
      async (name) => {
        const { points } = await everyKillPoint(room.root, scenarioOf(name), { again: 5 })
        expect(room.covered(points)).toBeGreaterThan(100)
      },
      CRASH_TIMEOUT,
    )
  })
