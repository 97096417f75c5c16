import { fenceFor } from './compose-prompt.ts'
import { type ConsensusRow, consensusOf } from './consensus.ts'
import { embedReview } from './embed-review.ts'
import type { LaneResult } from './lane-result.ts'
import { sectionHeading } from './lane.ts'

export interface ReviewsInput {
  /** `03`, or the name of the phase folder. */
  readonly phase: string
  /** ISO 8601, UTC. */
  readonly reviewedAt: string
  readonly plans: readonly string[]
  /** In roster order. */
  readonly results: readonly LaneResult[]
  /** Whether `git status` differed after the reviews from before. */
  readonly treeChanged: boolean
}

/** The document of a run: frontmatter, one section for each lane, and the places that several reviews cite. Pure. */
export const composeReviews = (input: ReviewsInput): string =>
  [
    frontmatter(input),
    `# Reviews of phase ${input.phase}\n`,
    ...caveats(input),
    ...input.results.map(section),
    consensusSection(consensusOf(input.results)),
  ].join('\n')

const names = (results: readonly LaneResult[]): string => JSON.stringify(results.map(({ lane }) => lane.name))

const frontmatter = ({ phase, reviewedAt, plans, results }: ReviewsInput): string => {
  const reviewed = results.filter(({ state }) => state === 'reviewed')
  const cut = results.filter((result) => result.cut.length > 0)
  const statuses = reviewed.filter(({ exitStatus }) => exitStatus !== null)
  return [
    '---',
    `phase: ${JSON.stringify(phase)}`,
    `reviewers: ${names(reviewed)}`,
    `reviewed_at: ${reviewedAt}`,
    `plans_reviewed: ${JSON.stringify(plans)}`,
    `trimmed_reviewers: ${JSON.stringify(cut.map(({ lane, cut: what }) => ({ reviewer: lane.name, cut: what })))}`,
    `failed_reviewers: ${names(results.filter(({ state }) => state !== 'reviewed'))}`,
    `nonzero_exit: ${JSON.stringify(Object.fromEntries(statuses.map(({ lane, exitStatus }) => [lane.name, exitStatus])))}`,
    '---\n',
  ].join('\n')
}

const caveats = ({ results, treeChanged }: ReviewsInput): readonly string[] => {
  const slugs = results.map(({ lane }) => lane.slug)
  const twice = [...new Set(slugs.filter((slug, at) => slugs.indexOf(slug) !== at))]
  return [
    ...twice.map((slug) => `> Several of these reviews come from the lane ${slug}; they are not independent.\n`),
    ...(treeChanged
      ? ['> The working tree changed while the reviews ran: `git status` differs. Check what was edited.\n']
      : []),
  ]
}

const section = (result: LaneResult): string => {
  const { lane, state, text, truncated, exitStatus } = result
  const notes = [
    ...(lane.evidence === 'diff-only'
      ? ['> This reviewer sees the changes of the repository only, not the plans.']
      : []),
    ...(exitStatus !== null && state === 'reviewed' ? [`> The program ended with status ${exitStatus}.`] : []),
    ...(truncated && state === 'reviewed' ? ['> The output was too long; its end is missing.'] : []),
    ...(result.cut.length > 0 ? [`> Its prompt was cut: ${result.cut.join(', ')}.`] : []),
  ]
  return [
    `## ${sectionHeading(lane)}\n`,
    ...(notes.length === 0 ? [] : [`${notes.join('\n>\n')}\n`]),
    state === 'reviewed' ? `${embedReview(text)}\n` : stub(result),
  ].join('\n')
}

/** A failed lane cannot be taken for one that found nothing. */
const stub = ({ reason, detail, state }: LaneResult): string => {
  const head = `**No review: this reviewer ${state === 'failed' ? 'failed' : 'is not available'}.** ${reason ?? ''}\n`
  if (detail === '') return head
  const fence = fenceFor(detail)
  const lines = detail.split('\n').map((line) => (line.startsWith('#') ? ` ${line}` : line))
  return `${head}\nThe end of what it printed:\n\n${fence}text\n${lines.join('\n')}\n${fence}\n`
}

const consensusSection = (rows: readonly ConsensusRow[]): string =>
  [
    '## Consensus Summary\n',
    ...(rows.length === 0
      ? ['No place is cited by two or more reviews that read the sources.']
      : [
          'Places that two or more reviews cite that read the sources:\n',
          '| Place | Reviewers |',
          '| --- | --- |',
          ...rows.map(({ place, reviewers }) => `| \`${place}\` | ${reviewers.join(', ')} |`),
        ]),
    '',
  ].join('\n')
