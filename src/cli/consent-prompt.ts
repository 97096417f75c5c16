import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import type { Disclosure } from '../trust/disclosure.ts'
import { readCode } from '../trust/read-code.ts'
import type { Terminal } from './terminal.ts'
import { codeLines } from './view/code-text.ts'
import { consentQuestion } from './view/consent-question.ts'
import { disclosureLines } from './view/disclosure.ts'

/** Shows disclosures on stderr; on a terminal, shows the code and asks. */
export const terminalConsentPrompt = (terminal: Terminal, assumeYes: boolean): ConsentPrompt => {
  const { confirm, printToStderr } = terminal
  return {
    assumeYes,
    disclose: (disclosures) =>
      printToStderr((view) =>
        disclosures
          .map((disclosure) => {
            const [head = '', ...lines] = disclosureLines(disclosure)
            return [view.style('bold', head), ...lines].join('\n')
          })
          .join('\n'),
      ),
    confirm:
      confirm === null
        ? null
        : async (disclosures) => {
            await printCode(terminal, disclosures, false)
            return confirm(consentQuestion(disclosures), () => printCode(terminal, disclosures, true))
          },
  }
}

/** Prints what runs, or what changed; with `all`, every file of the bundle. */
const printCode = async (
  { printToStderr }: Terminal,
  disclosures: readonly Disclosure[],
  all: boolean,
): Promise<void> => {
  for (const disclosure of disclosures) {
    const paths = all ? [...new Set([...disclosure.code, ...(disclosure.listFiles?.() ?? [])])] : disclosure.code
    const { files } = await readCode(disclosure, paths)
    printToStderr(({ style }) =>
      files.flatMap((file) => codeLines(file, { style, all, rest: 'press v to view every file' })).join('\n'),
    )
  }
}
