import type { Context } from '../../../context.ts'
import { GsdError } from '../../../errors.ts'
import type { PredicateAnswer } from '../../../loop/gates/predicate-answer.ts'
import type { Answer, Invocation } from '../../command.ts'
import { defineCommand } from '../../command.ts'
import type { Flags } from '../../command.ts'
import { unknownWordError } from '../../suggest.ts'
import { LOOP_FLAGS, PHASE_FLAGS, RAW_FLAG } from '../loop-flags.ts'

const CHECK_FLAGS = {
  predicate: { kind: 'text', value: '<json>', summary: 'the predicate, as a gate has it in `check.predicate`' },
  ...LOOP_FLAGS,
  ...PHASE_FLAGS,
  ...RAW_FLAG,
} as const satisfies Flags

const SUMMARY = 'Evaluate one predicate without a manifest. Exit status 0 whether or not it blocks.'
const PREDICATE = `'{"kind":"artifact-exists","artifact":"PLAN.md"}'`

export const loopCheck = defineCommand({
  noun: 'loop',
  verb: 'check',
  summary: SUMMARY,
  recovers: false,
  args: [{ name: 'predicate', summary: 'the word predicate' }],
  flags: CHECK_FLAGS,
  examples: [`gsd loop check predicate --predicate ${PREDICATE} --raw`],
  run: (context, { args: [what = ''], flags }) => {
    if (what !== 'predicate')
      throw unknownWordError(
        'USAGE_UNKNOWN_COMMAND',
        'word after check:',
        what,
        ['predicate'],
        (word) => `gsd loop check ${word}`,
      )
    return check(context, flags)
  },
})

/** As GSD Core has it. */
export const checkPredicateCommand = defineCommand({
  noun: 'check',
  verb: 'predicate',
  summary: SUMMARY,
  recovers: false,
  args: [],
  flags: CHECK_FLAGS,
  examples: [`gsd check predicate --predicate ${PREDICATE} --raw`],
  run: (context, { flags }) => check(context, flags),
})

const check = async (context: Context, flags: Invocation<typeof CHECK_FLAGS>['flags']): Promise<Answer> => {
  if (flags.predicate === undefined)
    throw new GsdError('USAGE_MISSING_ARGUMENT', 'check predicate needs --predicate <json>', {
      hint: `write --predicate ${PREDICATE}`,
    })
  const { parsePredicate } = await import('../../../loop/gates/check-predicate.ts')
  const predicate = parsePredicate(flags.predicate)
  if (predicate.kind === 'command-exit-zero' && flags['dry-run'])
    throw new GsdError('USAGE_CONFLICT', '--dry-run runs no command', { hint: 'leave one of them out' })
  const [{ openLoop }, { predicateAnswer }, { phaseOf }] = await Promise.all([
    import('./open-loop.ts'),
    import('../../../loop/gates/predicate-answer.ts'),
    import('../../../loop/phase.ts'),
  ])
  const { config, warnings } = await openLoop(context, flags)
  const phase = phaseOf(
    { phaseDir: flags['phase-dir'], phaseNumber: flags['phase-number'], phaseReqIds: flags['phase-req-ids'] },
    context,
    context.cwd,
  )
  const answer = await predicateAnswer(predicate, { ...phase, config, env: context.env, signal: context.signal })
  return {
    data: answer,
    human: () => text(answer),
    ...(flags.raw ? { raw: (await import('../../view/raw-json.ts')).rawJson(answer) } : {}),
    warnings: [...warnings, ...config.warnings()],
  }
}

const text = ({ block, message }: PredicateAnswer): string => `${block ? 'blocks' : 'passes'}: ${message}`
