import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadRegistry } from '../../src/loader.ts'
import { planLane, resolveLanes } from '../../src/review.ts'
import { createMachine, writeFileIn } from '../overlay/test-machine.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/review')
const FILES = { prompt: '/run/prompt.md', output: '/run/answer.md', root: '/project' }

type Lanes = Awaited<ReturnType<typeof loadRegistry>>['registry']['reviewers']
type Member = 'modelConfigKey' | 'effortConfigKey' | 'promptBudgetKey'

/** A value for the key that each lane has for something. */
const valuesFor = (lanes: Lanes, member: Member, value: unknown): Record<string, unknown> =>
  Object.fromEntries([...lanes.values()].flatMap((lane) => (lane[member] == null ? [] : [[lane[member], value]])))

const CONFIGURATIONS: Readonly<Record<string, (lanes: Lanes) => Record<string, unknown>>> = {
  bare: () => ({}),
  model: (lanes) => valuesFor(lanes, 'modelConfigKey', 'some-model'),
  effort: (lanes) => valuesFor(lanes, 'effortConfigKey', 'low'),
  budget: (lanes) => valuesFor(lanes, 'promptBudgetKey', 9000),
}

const lanesWith = async (name: string) => {
  const { home } = createMachine()
  const { registry } = await loadRegistry({ home, cache: null })
  const defaults = CONFIGURATIONS[name]?.(registry.reviewers)
  writeFileIn(join(home, '.gsd/config.json'), JSON.stringify({ schema: 1, defaults }))
  return resolveLanes(registry, { home })
}

describe('the plans of the shipped lanes', () => {
  it.each(Object.keys(CONFIGURATIONS))('are those on file with the configuration %s', async (name) => {
    const lanes = await lanesWith(name)
    expect(lanes).toHaveLength(12)
    const plans = lanes.map((lane) => ({ ...planLane(lane, FILES), budget: lane.budget, refused: lane.refused }))
    await expect(`${JSON.stringify(plans, null, 2)}\n`).toMatchFileSnapshot(join(FOLDER, `${name}.json`))
  })

  it('name a host for every lane over the network, and a program for every other', async () => {
    const plans = (await lanesWith('bare')).map((lane) => planLane(lane, FILES))
    expect(plans.flatMap(({ egress }) => egress ?? [])).toEqual([
      'http://localhost:8080',
      'http://localhost:1234',
      'http://localhost:11434',
    ])
    expect(plans.flatMap((plan) => (plan.transport === 'spawn' ? [plan.program] : []))).toHaveLength(9)
  })
})
