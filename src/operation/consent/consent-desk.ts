import type { Disclosure } from '../../trust/disclosure.ts'

/** How what a capability runs is shown, and consent to it asked for. */
export interface ConsentDesk {
  /** Shows everything that consent is needed for; called before anybody is asked, and with `--yes` too. */
  readonly disclose: (disclosures: readonly Disclosure[]) => void
  /** Asks for consent to all of it at once; null where nobody can be asked. */
  readonly ask: (() => Promise<boolean>) | null
  /** Consent was given on the command line. */
  readonly yes: boolean
}
