import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Disclosure } from '../disclosure.ts'

/**
 * Shows what needs consent and asks for it. Without a terminal it asks nothing and refuses (contract, "Command line").
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
  if (await consentPrompt.confirm(disclosures)) return
  throw new GsdError('CONSENT_DECLINED', `you did not consent to ${ids}; nothing was changed`, {
    details: { disclosure: disclosures },
  })
}

/** How disclosures are shown and consent is requested. */
export interface ConsentPrompt {
  /** Shows everything that needs consent; called before the question, and with `--yes` too. */
  readonly disclose: (disclosures: readonly Disclosure[]) => void
  /** Shows the code, and asks for consent to all of it at once; null without a terminal. */
  readonly confirm: ((disclosures: readonly Disclosure[]) => Promise<boolean>) | null
  /** Consent was given on the command line. */
  readonly assumeYes: boolean
}
