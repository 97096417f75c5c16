import type { Manifest, Reviewer } from './manifest.ts'
import { isObject } from './shapes/shape.ts'

/**
 * The reviewer lane of a capability, or null. Beside a `reviewer` body there is the deprecated switch
 * `runtime.hostBehaviors.reviewerCli: true`: without a body it makes a lane named by the id, with one it adds nothing
 * (rule 42).
 */
export const laneOf = (manifest: Manifest): Reviewer | null => {
  if (manifest.role === 'feature') return null
  if (manifest.reviewer !== undefined) return manifest.reviewer
  return manifest.role === 'runtime' && hasReviewerSwitch(manifest.runtime)
    ? laneFromId(manifest.id, manifest.title)
    : null
}

/** Whether a runtime body has the deprecated switch; takes whatever stands in its place. */
export const hasReviewerSwitch = (runtime: unknown): boolean =>
  isObject(runtime) && isObject(runtime['hostBehaviors']) && runtime['hostBehaviors']['reviewerCli'] === true

/** What the switch says of a lane is its name alone: the program of that name, the prompt on its standard input. */
const laneFromId = (id: string, title: string): Reviewer => ({
  slug: id,
  flags: [`--${id}`],
  transport: 'spawn',
  probe: { kind: 'command-exists', binary: id },
  invoke: {
    binary: id,
    args: [],
    promptChannel: 'stdin',
    outputChannel: 'stdout',
    modelArg: null,
    effortChannel: 'none',
  },
  timeoutFloorMs: 600_000,
  emptyOutput: 'stub-with-stderr',
  reviewsSection: title,
  evidenceClass: 'source-grounded',
  requiresBinaries: [],
  promptBudgetKey: null,
  modelConfigKey: null,
  handler: null,
})
