import { checkText } from '../registry/check-text.ts'
import type { Attached } from '../registry/registry.ts'

/** What a hook aims at, in one line: the unit of a step, the role of a contribution, the check of a gate. */
export const targetOf = (attached: Attached): string => {
  if (attached.kind === 'contribution') return `into ${attached.contribution.into}`
  if (attached.kind === 'gate') return checkText(attached.gate.check)
  return Object.entries(attached.step.ref)
    .map(([kind, name]) => `${kind} ${name}`)
    .join('')
}
