import { basename, join } from 'node:path'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import { composeReviews } from './compose-reviews.ts'
import { type ConsensusRow, consensusOf } from './consensus.ts'
import { gitStatus } from './git-status.ts'
import type { LaneResult } from './lane-result.ts'
import { readPhase } from './phase-files.ts'
import { type RunLanesOptions, runLaneSet } from './run-lanes.ts'
import type { Selection } from './select-lanes.ts'
import { checkReviewsFile, writeReviews } from './write-reviews.ts'

export interface ReviewRequest extends Omit<RunLanesOptions, 'prompt'> {
  readonly phaseDir: string
  /** Text of the prompt; null: it is composed. */
  readonly prompt: string | null
  /** Absolute path; null: `<NN>-REVIEWS.md` in the phase folder. */
  readonly out: string | null
  readonly disk: Disk
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What came of a run. */
export interface ReviewReport {
  readonly file: string
  readonly phase: string
  readonly plans: readonly string[]
  readonly results: readonly LaneResult[]
  readonly consensus: readonly ConsensusRow[]
  readonly treeChanged: boolean
  readonly warnings: readonly Diagnostic[]
  /** Why the run counts as a failure; the document is written all the same. */
  readonly failure: GsdError | null
}

/**
 * Reviews a phase: reads it, runs lanes and writes the document.
 * @throws GsdError STATE_NO_REVIEWER when no lane can run, STATE_*, USAGE_BAD_VALUE, INTERRUPTED
 */
export const reviewPhase = async (selection: Selection, request: ReviewRequest): Promise<ReviewReport> => {
  const { root, disk, env, signal } = request
  const phase = readPhase(request.phaseDir, root)
  const file = request.out ?? join(phase.dir, phase.number === null ? 'REVIEWS.md' : `${phase.number}-REVIEWS.md`)
  checkReviewsFile(disk, file)
  if (selection.lanes.length === 0) throw noReviewer([])
  const before = await gitStatus(root, { env, signal })
  const all = await runLaneSet(selection.lanes, { ...request, prompt: request.prompt ?? phase.parts })
  const after = await gitStatus(root, { env, signal })
  const left = selection.optional ? all.filter(({ state }) => state === 'unavailable') : []
  const results = all.filter((result) => !left.includes(result))
  if (results.length === 0) throw noReviewer(left)
  const treeChanged = before !== after
  const name = phase.number ?? basename(phase.dir)
  const reviewedAt = new Date(request.now()).toISOString()
  const text = composeReviews({ phase: name, reviewedAt, plans: phase.plans, results, treeChanged })
  writeReviews(disk, file, text)
  return {
    file,
    phase: name,
    plans: phase.plans,
    results,
    consensus: consensusOf(results),
    treeChanged,
    warnings: [...selection.notes, ...phase.warnings, ...left.map(leftOut)],
    failure: failureOf(results, selection),
  }
}

const leftOut = ({ lane, reason }: LaneResult): Diagnostic =>
  diagnostic('info', 'OVERLAY_LANE_UNAVAILABLE', `the reviewer ${lane.name} is left out: ${reason ?? ''}`)

const noReviewer = (left: readonly LaneResult[]): GsdError =>
  new GsdError(
    'STATE_NO_REVIEWER',
    `no reviewer can run${left.length === 0 ? '' : `: ${left.map(({ lane, reason }) => `${lane.name} (${reason ?? ''})`).join(', ')}`}`,
    { hint: 'gsd review lanes --probe' },
  )

const failureOf = (results: readonly LaneResult[], { asserted }: Selection): GsdError | null => {
  const failed = results.filter(({ state }) => state !== 'reviewed')
  const named = failed.filter(({ lane }) => asserted.has(lane.name))
  if (named.length === 0 && failed.length < results.length) return null
  const shown = (named.length > 0 ? named : failed).map(({ lane, reason }) => `${lane.name} (${reason ?? ''})`)
  return new GsdError('FETCH_REVIEW_FAILED', `no review came from ${shown.join(', ')}`, {
    hint: 'gsd review lanes --probe',
  })
}
