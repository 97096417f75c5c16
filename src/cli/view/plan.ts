import type { PlanView } from '../../operation/plan/install-request.ts'
import { changeLines } from './changes.ts'
import { disclosureLines } from './disclosure.ts'
import type { View } from './view.ts'

/** What `--dry-run` shows of a plan: all that consent would be asked for, then what would change. */
export const planLines = ({ disclosures, changes }: PlanView, view: View): string[] => [
  ...disclosures.flatMap((disclosure) => ['', ...disclosureLines(disclosure)]),
  '',
  view.style('bold', changes.length === 0 ? 'nothing would change' : 'what would change, in this order:'),
  ...changeLines(changes),
]
