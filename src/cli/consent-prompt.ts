import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import type { Terminal } from './terminal.ts'
import { disclosureLines } from './view/disclosure.ts'

/** Shows disclosures on stderr and asks on the terminal, where there is one. */
export const terminalConsentPrompt = (terminal: Terminal, assumeYes: boolean): ConsentPrompt => ({
  assumeYes,
  disclose: (disclosures) =>
    terminal.printToStderr((view) =>
      disclosures
        .map((disclosure) => {
          const [head = '', ...lines] = disclosureLines(disclosure)
          return [view.style('bold', head), ...lines].join('\n')
        })
        .join('\n'),
    ),
  confirm: terminal.confirm === null ? null : () => terminal.confirm?.('Let this in?') ?? Promise.resolve(false),
})
