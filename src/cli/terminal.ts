import { isTerminal } from './output.ts'
import { confirmOnTerminal, chooseOnTerminal, type Choice } from './prompt.ts'
import type { View } from './view/view.ts'

/** The person at the other end, as a command meets them. All of it goes to stderr: stdout is for the answer. */
export interface Terminal {
  /** Says something that must be seen, `--quiet` or not: a disclosure, for instance. */
  printToStderr(text: (view: View) => string): void
  /**
   * Asks a yes/no question; the default is no. Null where nobody can answer: off a TTY and with `--json`.
   * @throws GsdError INTERRUPTED when the question is broken off.
   */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** Lets some of several be ticked; null where nobody can answer. @throws GsdError INTERRUPTED */
  readonly choose: ((question: string, choices: readonly Choice[]) => Promise<string[]>) | null
}

/** Null members where nobody can answer. @param streams where to print, and whether the answer is JSON */
export const openTerminal = (
  streams: Pick<Terminal, 'printToStderr'> & { readonly json: boolean },
  signal: AbortSignal,
): Terminal => {
  const answers = !streams.json && isTerminal(0) && isTerminal(2)
  return {
    printToStderr: streams.printToStderr,
    confirm: answers ? (question) => confirmOnTerminal(question, signal) : null,
    choose: answers ? (question, choices) => chooseOnTerminal(question, choices, signal) : null,
  }
}
