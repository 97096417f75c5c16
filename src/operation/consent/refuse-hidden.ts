import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { hiddenLine, type HiddenFinding } from '../../trust/hidden-finding.ts'

const MOST_SHOWN = 10

/**
 * Refuses text that a reader does not see; `--allow-hidden-unicode` is the way past.
 * @throws CONSENT_HIDDEN_TEXT with every finding in `details.hidden`
 */
export const refuseHidden = (
  found: readonly { readonly id: string; readonly hidden: readonly HiddenFinding[] }[],
): void => {
  const first = found.find(({ hidden }) => hidden.length > 0)
  if (first === undefined) return
  const { id, hidden } = first
  const places = hidden.slice(0, MOST_SHOWN).map((finding) => `\n  ${hiddenLine(finding)}`)
  const more = hidden.length > MOST_SHOWN ? `\n  and ${hidden.length - MOST_SHOWN} more` : ''
  throw new GsdError(
    'CONSENT_HIDDEN_TEXT',
    `${quote(id)} holds text that a reader does not see:${places.join('')}${more}`,
    {
      hint: 'read those places in an editor that shows invisible characters; --allow-hidden-unicode lets them in',
      details: { id, hidden },
    },
  )
}
