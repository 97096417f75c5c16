import { GsdError } from '../../errors.ts'
import type { DoctorAnswer } from '../../operation/doctor.ts'
import { defineCommand } from '../command.ts'
import { diagnosticText } from '../view/diagnostic-text.ts'
import type { View } from '../view/view.ts'

export const doctor = defineCommand({
  noun: 'capability',
  verb: 'doctor',
  summary: 'Find problems in what is installed, with the command that fixes each. Exit 4 if there are any.',
  args: [],
  flags: {
    fix: { kind: 'switch', summary: 'fix what needs no decision' },
    adopt: { kind: 'switch', summary: 'with --fix: also manage what GSD Core installed in the same folders' },
  },
  examples: ['gsd capability doctor', 'gsd capability doctor --fix', 'gsd capability doctor --fix --adopt'],
  async run(context, { flags }) {
    const operation = await import('../../operation/doctor.ts')
    if (flags.adopt && !flags.fix)
      throw new GsdError('USAGE_CONFLICT', '--adopt changes the ledger, so it needs --fix', {
        hint: 'gsd capability doctor --fix --adopt',
      })
    const fix = flags.fix && !flags['dry-run']
    const answer = await operation.doctor(context, { scope: flags.scope ?? null, fix, adopt: flags.adopt })
    const wrong = answer.findings.some(({ fixed }) => !fixed)
    return {
      data: { findings: answer.findings, adopted: answer.adopted },
      human: (view) => text(answer, { fixes: flags.fix && flags['dry-run'] }, view),
      warnings: answer.warnings,
      ...(wrong ? { exit: 4 } : {}),
    }
  },
})

/** @param fixes a dry run of `--fix`: says what it would fix */
const text = ({ findings, adopted }: DoctorAnswer, { fixes }: { readonly fixes: boolean }, view: View): string =>
  [
    ...adopted.map((id) => `${view.style('green', 'added')} ${id} to the ledger`),
    ...findings.map((finding) =>
      finding.fixed
        ? `${view.style('green', 'fixed')} ${finding.message}`
        : fixes && finding.remedy !== 'hand'
          ? `${view.style('green', 'would fix')} ${finding.message}`
          : diagnosticText(finding, view),
    ),
  ].join('\n') || 'no problems found'
