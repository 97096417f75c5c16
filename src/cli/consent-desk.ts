import type { ConsentDesk } from '../operation/consent/consent-desk.ts'
import type { Terminal } from './terminal.ts'
import { disclosureLines } from './view/disclosure.ts'

/** Shows disclosures on stderr and asks on the terminal, where there is one. */
export const consentDesk = (terminal: Terminal, yes: boolean): ConsentDesk => ({
  yes,
  disclose: (disclosures) =>
    terminal.say((view) =>
      disclosures
        .map((disclosure) => {
          const [head = '', ...lines] = disclosureLines(disclosure)
          return [view.style('bold', head), ...lines].join('\n')
        })
        .join('\n'),
    ),
  ask: terminal.confirm === null ? null : () => terminal.confirm?.('Let this in?') ?? Promise.resolve(false),
})
