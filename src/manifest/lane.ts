import { isObject } from './json/object.ts'
import type { Manifest, Reviewer } from './manifest.ts'

/**
 * The reviewer lane of a capability, or null. Without a `reviewer` body, the deprecated switch
 * `runtime.hostBehaviors.reviewerCli: true` makes a lane named by the id (rule 42).
 */
export const laneOf = (manifest: Manifest): Reviewer | null => {
  if (manifest.role === 'feature') return null
  if (manifest.reviewer !== undefined) return manifest.reviewer
  return manifest.role === 'runtime' && hasReviewerSwitch(manifest.runtime)
    ? laneFromId(manifest.id, manifest.title)
    : null
}

/** Whether a runtime body has the deprecated switch; accepts any value. */
export const hasReviewerSwitch = (runtime: unknown): boolean =>
  isObject(runtime) && isObject(runtime['hostBehaviors']) && runtime['hostBehaviors']['reviewerCli'] === true

/** The switch only gives a name: the program of that name gets the prompt on its standard input. */
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
