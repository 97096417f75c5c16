import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LONG, THOROUGH, useCrashRoom } from '../helpers/crash-room.ts'
import type { Scenario } from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'
import { everyPowerCut } from '../helpers/power-cuts.ts'

const room = useCrashRoom('disks after a power cut')

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

/** It has more than two states to end in, and each link of it is here on its own. */
const CHAIN = 'install, update, disable, enable, remove'
const FIRST = 'install the first capability in a project, with settings to be made'

describe('the power goes after any call, and the next command finishes or undoes the operation', () => {
  test.each(Object.keys(scenarios('/')))(
    '%s',
    async (name) => {
      const scenario = scenarios(room.root)[name]
      if (scenario === undefined) throw new Error(name)
      const options = THOROUGH ? { every: 1, chances: 8 } : { every: 6, chances: 1 }
      expect(room.covered(await everyPowerCut(room.root, scenario, options))).toBeGreaterThan(8)
    },
    LONG,
  )
})
