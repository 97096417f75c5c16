import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inOrder } from '../in-order.ts'
import { composeWithin, type Prompt, textWithin } from './compose-prompt.ts'
import type { LaneResult } from './lane-result.ts'
import type { Lane } from './lane.ts'
import type { PromptPart } from './phase-files.ts'
import { planLane } from './plan-lane.ts'
import { probeLane } from './probe-lane.ts'
import { runLane } from './run-lane.ts'

/** One report of a lane's progress. `seconds` since it started. */
export interface LaneProgress {
  readonly name: string
  readonly state: 'probing' | 'running' | LaneResult['state']
  readonly seconds: number
}

export interface RunLanesOptions {
  /** Real path of the repository. */
  readonly root: string
  /** Parts to compose prompts from, or one prompt as it is. */
  readonly prompt: readonly PromptPart[] | string
  /** Lanes that run at one time. */
  readonly jobs: number
  readonly offline: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly onProgress?: (progress: LaneProgress) => void
}

/**
 * Probes and runs lanes, and gives a result for each, in their order. What a lane does is only ever part of its result.
 * The folder of the run is closed to other users and is removed at the end.
 * @throws GsdError INTERRUPTED
 */
export const runLaneSet = async (lanes: readonly Lane[], options: RunLanesOptions): Promise<readonly LaneResult[]> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-review-')))
  try {
    chmodSync(folder, 0o700)
    const numbered = lanes.map((lane, at) => ({ lane, at }))
    return await inOrder(numbered, options.jobs, ({ lane, at }) => runOne(lane, join(folder, String(at)), options))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param base path and beginning of the names of the lane's files */
const runOne = async (lane: Lane, base: string, options: RunLanesOptions): Promise<LaneResult> => {
  const { root, env, signal, offline } = options
  const start = performance.now()
  const seconds = (): number => Math.round((performance.now() - start) / 100) / 10
  const report = (state: LaneProgress['state']): void =>
    options.onProgress?.({ name: lane.name, state, seconds: seconds() })
  const end = (result: Omit<LaneResult, 'lane' | 'seconds'>): LaneResult => {
    report(result.state)
    return { lane, seconds: seconds(), ...result }
  }
  const unavailable = (reason: string): LaneResult =>
    end({ state: 'unavailable', text: '', reason, detail: '', exitStatus: null, truncated: false, cut: [] })
  report('probing')
  const reason = await probeLane(lane, { env, signal, cwd: root, offline })
  if (reason !== null) return unavailable(reason)
  const prompt = promptFor(lane, options.prompt)
  if (prompt === null) return unavailable(`its budget of ${lane.budget ?? 0} tokens is too small for this review`)
  const files = { prompt: `${base}-prompt.md`, output: `${base}-answer.md`, stdout: `${base}-stdout`, root }
  writeFileSync(files.prompt, prompt.text, { mode: 0o600 })
  report('running')
  const job = { lane, plan: planLane(lane, files), prompt: prompt.text, files }
  return end({ ...(await runLane(job, { env, signal })), cut: prompt.cut })
}

const promptFor = ({ budget }: Lane, prompt: RunLanesOptions['prompt']): Prompt | null =>
  typeof prompt === 'string' ? textWithin(prompt, budget) : composeWithin(prompt, budget)
