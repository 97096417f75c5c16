import type { DoctorAnswer } from '../../operation/doctor.ts'
import { defineCommand } from '../command.ts'
import { diagnosticText } from '../view/diagnostic-text.ts'
import type { View } from '../view/view.ts'

export const doctor = defineCommand({
  noun: 'capability',
  verb: 'doctor',
  summary: 'Find problems in what is installed, with the command that fixes each. Exit 4 if there are any.',
  args: [],
  flags: { fix: { kind: 'switch', summary: 'fix what needs no decision' } },
  examples: ['gsd capability doctor', 'gsd capability doctor --fix'],
  async run(context, { flags }) {
    const operation = await import('../../operation/doctor.ts')
    const answer = await operation.doctor(context, { scope: flags.scope ?? null, fix: flags.fix && !flags['dry-run'] })
    const wrong = answer.findings.some(({ fixed }) => !fixed)
    return {
      data: { findings: answer.findings },
      human: (view) => text(answer, view),
      warnings: answer.warnings,
      ...(wrong ? { exit: 4 } : {}),
    }
  },
})

const text = ({ findings }: DoctorAnswer, view: View): string =>
  findings
    .map((finding) =>
      finding.fixed ? `${view.style('green', 'fixed')} ${finding.message}` : diagnosticText(finding, view),
    )
    .join('\n') || 'no problems found'
