import type { Context } from '../../../context.ts'
import type { Diagnostic } from '../../../diagnostic.ts'
import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import { reviewConfig } from '../../../review.ts'
import { laneConsent } from '../../../review/lane-consent.ts'
import type { Lane } from '../../../review/lane.ts'
import { lanesOf } from '../../../review/resolve-lanes.ts'
import type { ReviewConfig } from '../../../review/review-config.ts'
import { type Selection, selectLanes } from '../../../review/select-lanes.ts'
import { openLoop } from '../loop/open-loop.ts'

/** The lanes of one command, with the configuration they were resolved by. */
export interface ReviewSession {
  readonly lanes: readonly Lane[]
  readonly config: ReviewConfig
  readonly warnings: () => readonly Diagnostic[]
}

/** @throws GsdError USAGE_UNKNOWN_KEY, USAGE_BAD_VALUE */
export const openReview = async (context: Context, set: readonly string[]): Promise<ReviewSession> => {
  const { registry, layers, warnings } = await openLoop(context, { set })
  const config = reviewConfig(registry, layers)
  const lanes = lanesOf(registry, { config, consent: laneConsent(registry, context) })
  return { lanes, config, warnings: () => [...warnings, ...layers.warnings] }
}

export interface SelectionFlags {
  readonly all: boolean
  readonly 'include-self': boolean
  readonly timeout?: string | undefined
}

/** The lanes that a command line chooses, with its time limit. @throws GsdError USAGE_* */
export const selectFor = (
  context: Context,
  { lanes, config }: ReviewSession,
  { args, flags }: { readonly args: readonly string[]; readonly flags: SelectionFlags },
): Selection => {
  const request = {
    flags: args.filter((arg) => arg.startsWith('--')),
    all: flags.all,
    includeSelf: flags['include-self'],
  }
  const selection = selectLanes(lanes, request, { config, env: context.env })
  const word = args.find((arg) => !arg.startsWith('--'))
  if (word !== undefined)
    throw new GsdError('USAGE_EXTRA_ARGUMENT', `unexpected argument: ${quote(word)}`, {
      hint: 'choose reviewers by their flags, such as --codex; gsd review lanes lists them',
    })
  if (flags.timeout === undefined) return selection
  return { ...selection, lanes: selection.lanes.map((lane) => ({ ...lane, timeoutMs: context.fetchTimeout })) }
}

/** The folder of the project. @throws GsdError USAGE_NO_PROJECT */
export const requireProject = ({ project }: Context): string => {
  if (project !== null) return project.realRoot
  throw new GsdError('USAGE_NO_PROJECT', 'a review needs a project, and there is none here', {
    hint: 'run it in the project, or name it with --project',
  })
}

/** The phase folder that is named. @throws GsdError USAGE_MISSING_ARGUMENT */
export const requirePhase = (named: string | undefined, verb: string): string => {
  if (named !== undefined) return named
  throw new GsdError('USAGE_MISSING_ARGUMENT', `gsd review ${verb} needs --phase-dir <dir>`, {
    hint: `gsd review ${verb} --phase-dir .planning/phases/01-setup`,
  })
}
