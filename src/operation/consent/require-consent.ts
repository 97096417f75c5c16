import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { ConsentDesk } from './consent-desk.ts'

/**
 * Shows what is to be let in, and asks for consent where it was not given already. Without a terminal nothing is asked
 * (contract, "Command line").
 * @throws CONSENT_REQUIRED with `details.disclosure`, CONSENT_DECLINED
 */
export const requireConsent = async (desk: ConsentDesk, disclosures: readonly Disclosure[]): Promise<void> => {
  if (disclosures.length === 0) return
  desk.disclose(disclosures)
  if (desk.yes) return
  const ids = disclosures.map(({ id }) => quote(id)).join(', ')
  if (desk.ask === null) {
    throw new GsdError(
      'CONSENT_REQUIRED',
      `${ids} ${disclosures.length === 1 ? 'needs' : 'need'} your consent, and there is no terminal to ask on`,
      {
        hint: 'read what is disclosed, then add --yes',
        details: { disclosure: disclosures },
      },
    )
  }
  if (await desk.ask()) return
  throw new GsdError('CONSENT_DECLINED', `you did not consent to ${ids}; nothing was changed`, {
    details: { disclosure: disclosures },
  })
}
