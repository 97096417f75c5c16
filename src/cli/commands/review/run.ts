import type { Context } from '../../../context.ts'
import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import type { LaneResult } from '../../../review/lane-result.ts'
import type { ReviewReport } from '../../../review/review-phase.ts'
import { defineCommand } from '../../command.ts'
import { countText, type View } from '../../view/view.ts'
import { SELECTION_FLAGS } from '../review-flags.ts'

export const reviewRun = defineCommand({
  noun: 'review',
  verb: 'run',
  summary: 'Let reviewers read the plans of a phase, and write one document with all reviews.',
  recovers: false,
  declaredFlags: true,
  args: [{ name: '--lane', summary: 'flags of reviewers, such as --codex', optional: true, many: true }],
  flags: {
    ...SELECTION_FLAGS,
    prompt: { kind: 'text', value: '<file>', summary: 'file with the prompt; default: composed of the phase' },
    out: { kind: 'text', value: '<file>', summary: 'file to write; default: <NN>-REVIEWS.md in the phase folder' },
    jobs: { kind: 'text', value: '<n>', summary: 'reviewers that run at one time; default: 1' },
  },
  examples: [
    'gsd review run --phase-dir .planning/phases/01-setup --codex --claude',
    'gsd review run --phase-dir .planning/phases/01-setup --all --jobs 4',
  ],
  async run(context, { args, flags }) {
    if (flags['dry-run'])
      throw new GsdError('USAGE_CONFLICT', '--dry-run runs no reviewer', {
        hint: 'gsd review plan shows what would run',
      })
    const [{ openReview, requirePhase, requireProject, selectFor }, { reviewPhase }, { resolve }] = await Promise.all([
      import('./open-review.ts'),
      import('../../../review/review-phase.ts'),
      import('node:path'),
    ])
    const root = requireProject(context)
    const phaseDir = resolve(context.cwd, requirePhase(flags['phase-dir'], 'run'))
    const session = await openReview(context, flags.set)
    const selection = selectFor(context, session, { args, flags })
    const parallel = session.config.lookup('review.parallel_lanes')?.value === true
    const { failure, warnings, ...report } = await reviewPhase(selection, {
      phaseDir,
      root,
      prompt: flags.prompt === undefined ? null : await readPrompt(resolve(context.cwd, flags.prompt)),
      out: flags.out === undefined ? null : resolve(context.cwd, flags.out),
      jobs: parseJobs(flags.jobs) ?? (parallel ? Math.max(1, selection.lanes.length) : 1),
      offline: context.offline,
      env: context.env,
      signal: context.signal,
      disk: context.disk,
      now: context.now,
      onProgress: ({ name, state, seconds }) =>
        context.report({ kind: 'progress', text: `${name}: ${state} (${seconds} s)` }),
    })
    return {
      data: { ...report, results: report.results.map(row) },
      human: (view) => text(report, context, view),
      warnings: [...session.warnings(), ...warnings],
      ...(failure === null ? {} : { error: failure }),
    }
  },
})

const parseJobs = (text: string | undefined): number | null => {
  if (text === undefined) return null
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new GsdError('USAGE_BAD_VALUE', `--jobs ${quote(text)} is not a number from 1 to 99`, {
    hint: 'write --jobs 2',
  })
}

const MAX_PROMPT = 8 * 1024 * 1024

const readPrompt = async (file: string): Promise<string> => {
  const { readTextFile } = await import('../../../platform/text-file.ts')
  const found = readTextFile(file, MAX_PROMPT)
  if (found.state === 'ok' && found.text.trim() !== '') return found.text
  const reason =
    found.state === 'unreadable'
      ? `cannot be read: ${found.reason}`
      : found.state === 'absent'
        ? 'does not exist'
        : 'is empty'
  throw new GsdError('USAGE_BAD_VALUE', `--prompt ${quote(file)} ${reason}`, {
    hint: 'name a text file with the prompt',
  })
}

const row = ({ lane, ...result }: LaneResult) => ({
  name: lane.name,
  slug: lane.slug,
  section: lane.section,
  evidenceClass: lane.evidence,
  ...result,
})

const text = (
  { file, phase, results, consensus, treeChanged }: Omit<ReviewReport, 'failure' | 'warnings'>,
  { cwd }: Context,
  view: View,
): string => {
  const shown = file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file
  return [
    ...results.map(({ lane, state, reason, seconds, exitStatus }) =>
      state === 'reviewed'
        ? `${view.style('green', 'reviewed')} ${lane.name} (${seconds} s)${exitStatus === null ? '' : `, status ${exitStatus}`}`
        : `${view.style('red', state)} ${lane.name}: ${reason ?? ''}`,
    ),
    ...(treeChanged ? [view.style('yellow', 'the working tree changed while the reviews ran: git status')] : []),
    `${countText(consensus.length, 'place')} cited by more than one reviewer`,
    `wrote ${shown}`,
    `next, in your agent: /gsd-plan-phase ${phase} --reviews`,
  ].join('\n')
}
