import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CRASH_TIMEOUT, useCrashFixture } from '../helpers/crash-fixture.ts'
import { FULL } from '../helpers/full-run.ts'
import type { Scenario } from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'
import { everyPowerCut, type PowerCutOptions } from '../helpers/power-cuts.ts'

const room = useCrashFixture('disks after a power cut')

const scenarios = (root: string): Readonly<Record<string, Scenario>> => {
  const { [CHAIN]: _chain, ...others } = operationScenarios(root)
  const { [FIRST]: first, ...rest } = others
  if (first === undefined) throw new Error(FIRST)
  const prepare: Scenario['prepare'] = async (context, at) => {
    await first.prepare(context, at)
    rmSync(context.global.root, { recursive: true })
  }
  return { 'install in a home that is not there yet': { ...first, prepare }, [FIRST]: first, ...rest }
}

/** It can end in more than two states, and each of its links is a scenario of its own. */
const CHAIN = 'install, update, disable, enable, remove'
const FIRST = 'install the first capability in a project, with settings to be made'
const NAMES = Object.keys(scenarios('/'))

const cut = async (name: string, options: PowerCutOptions): Promise<number> => {
  const scenario = scenarios(room.root)[name]
  if (scenario === undefined) throw new Error(name)
  return room.covered(await everyPowerCut(room.root, scenario, options))
}

describe('after a power loss at any call the next command finishes or undoes the operation', () => {
  test.each(NAMES)(
    '%s',
    async (name) => {
      const options = FULL ? { every: 1, chances: 8 } : { every: 17, chances: 1 }
      expect(await cut(name, options)).toBeGreaterThan(4)
    },
    CRASH_TIMEOUT,
  )
})

describe('after a second power loss during recovery the following command finishes or undoes the operation', () => {
  test.each(NAMES)(
    '%s',
    async (name) => {
      const options = FULL ? { every: 1, chances: 2, again: 8 } : { every: 37, chances: 1, again: 2 }
      expect(await cut(name, options)).toBeGreaterThan(1)
    },
    CRASH_TIMEOUT,
  )
})
