import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { formatHiddenFinding, type HiddenFinding } from '../hidden-text/hidden-finding.ts'

const MAX_SHOWN = 10

/**
 * Refuses text with invisible characters; `--allow-hidden-unicode` allows it.
 * @throws CONSENT_HIDDEN_TEXT with every finding in `details.hidden`
 */
export const refuseHiddenText = (
  found: readonly { readonly id: string; readonly hidden: readonly HiddenFinding[] }[],
): void => {
  const first = found.find(({ hidden }) => hidden.length > 0)
  if (first === undefined) return
  const { id, hidden } = first
  const paths = hidden.slice(0, MAX_SHOWN).map((finding) => `\n  ${formatHiddenFinding(finding)}`)
  const more = hidden.length > MAX_SHOWN ? `\n  and ${hidden.length - MAX_SHOWN} more` : ''
  throw new GsdError('CONSENT_HIDDEN_TEXT', `${quote(id)} contains invisible characters:${paths.join('')}${more}`, {
    hint: 'check them in an editor that shows invisible characters; then add --allow-hidden-unicode',
    details: { id, hidden },
  })
}
