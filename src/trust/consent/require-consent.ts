import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Disclosure } from '../disclosure.ts'

/**
 * Shows what is to be let in, and asks for consent where it was not given already. Without a terminal nothing is asked
 * (contract, "Command line").
 * @throws CONSENT_REQUIRED with `details.disclosure`, CONSENT_DECLINED
 */
export const requireConsent = async (
  consentPrompt: ConsentPrompt,
  disclosures: readonly Disclosure[],
): Promise<void> => {
  if (disclosures.length === 0) return
  consentPrompt.disclose(disclosures)
  if (consentPrompt.assumeYes) return
  const ids = disclosures.map(({ id }) => quote(id)).join(', ')
  if (consentPrompt.confirm === null) {
    throw new GsdError(
      'CONSENT_REQUIRED',
      `${ids} ${disclosures.length === 1 ? 'needs' : 'need'} your consent, and there is no terminal to ask on`,
      {
        hint: 'read what is disclosed, then add --yes',
        details: { disclosure: disclosures },
      },
    )
  }
  if (await consentPrompt.confirm()) return
  throw new GsdError('CONSENT_DECLINED', `you did not consent to ${ids}; nothing was changed`, {
    details: { disclosure: disclosures },
  })
}

/** How what a capability runs is shown, and consent to it asked for. */
export interface ConsentPrompt {
  /** Shows everything that consent is needed for; called before anybody is asked, and with `--yes` too. */
  readonly disclose: (disclosures: readonly Disclosure[]) => void
  /** Asks for consent to all of it at once; null where nobody can be asked. */
  readonly confirm: (() => Promise<boolean>) | null
  /** Consent was given on the command line. */
  readonly assumeYes: boolean
}
