import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyKillPoint, type Scenario } from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'

let root = ''
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'gsd-crash-'))), 'world')
})
afterEach(() => {
  rmSync(dirname(root), { recursive: true, force: true })
})

const NAMES = Object.keys(operationScenarios('/'))

const scenarioOf = (name: string): Scenario => {
  const scenario = operationScenarios(root)[name]
  if (scenario === undefined) throw new Error(name)
  return scenario
}

describe('an operation that is killed at any call is finished or undone by the next process', () => {
  test.each(NAMES)('%s', async (name) => {
    const { points } = await everyKillPoint(root, scenarioOf(name))
    console.log(name, points)
    expect(points).toBeGreaterThan(20)
  })
})
