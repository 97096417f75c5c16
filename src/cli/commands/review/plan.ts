import type { LanePlan } from '../../../review/plan-lane.ts'
import { defineCommand } from '../../command.ts'
import { SELECTION_FLAGS } from '../review-flags.ts'

export const reviewPlan = defineCommand({
  noun: 'review',
  verb: 'plan',
  summary: 'Show what a review would run and where plans would go. Runs nothing.',
  recovers: false,
  declaredFlags: true,
  args: [{ name: '--lane', summary: 'flags of reviewers, such as --codex', optional: true, many: true }],
  flags: SELECTION_FLAGS,
  examples: ['gsd review plan --phase-dir .planning/phases/01-setup --codex'],
  async run(context, { args, flags }) {
    const [{ openReview, requirePhase, requireProject, selectFor }, { planLane }, { readPhase }, { resolve }] =
      await Promise.all([
        import('./open-review.ts'),
        import('../../../review/plan-lane.ts'),
        import('../../../review/phase-files.ts'),
        import('node:path'),
      ])
    const root = requireProject(context)
    const phase = readPhase(resolve(context.cwd, requirePhase(flags['phase-dir'], 'plan')), root)
    const session = await openReview(context, flags.set)
    const selection = selectFor(context, session, { args, flags })
    const plans = selection.lanes.map((lane, at) => ({
      ...planLane(lane, { prompt: `<run>/${at}-prompt.md`, output: `<run>/${at}-answer.md`, root }),
      reason: lane.refused,
    }))
    return {
      data: { plans },
      human: () =>
        plans.length === 0 ? 'no reviewer is chosen' : plans.map((plan) => text(plan, plan.reason)).join('\n\n'),
      warnings: [...session.warnings(), ...selection.notes, ...phase.warnings],
    }
  },
})

const text = (plan: LanePlan, reason: string | null): string =>
  [
    plan.name,
    ...(plan.transport === 'spawn'
      ? [
          `  runs ${[plan.program, ...plan.args.map((arg) => (arg === null ? '<prompt>' : quoteWord(arg)))].join(' ')}`,
          ...Object.entries(plan.env).map(([name, value]) => `  with ${name}=${quoteWord(value)}`),
          `  prompt by ${plan.prompt}, answer from ${plan.output}`,
          '  sends to the service that the program uses',
        ]
      : [
          `  posts to ${plan.url}`,
          `  model ${plan.modelsUrl === null ? (plan.model ?? 'none') : `the first of ${plan.modelsUrl}`}`,
          `  sends to ${plan.egress}`,
        ]),
    `  ends after ${plan.timeoutMs / 1000} s`,
    ...(reason === null ? [] : [`  cannot run: ${reason}`]),
  ].join('\n')

const quoteWord = (word: string): string => (/^[\w./:@%+=,{}<>-]+$/.test(word) ? word : JSON.stringify(word))
