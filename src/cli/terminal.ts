import { GsdError } from '../errors.ts'
import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import { isTerminal } from './output.ts'
import { disclosureLines } from './view/disclosure.ts'
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

/**
 * Asks a yes/no question on the terminal, on stderr; the default is no.
 * @throws GsdError INTERRUPTED when the question is broken off.
 */
export const confirmOnTerminal = async (question: string, signal: AbortSignal): Promise<boolean> => {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: question, initialValue: false, output: promptOutput(), signal })
  if (isCancel(answer)) throw new GsdError('INTERRUPTED', 'interrupted at the question; nothing was changed')
  return answer
}

export interface Choice {
  readonly value: string
  readonly label: string
  /** Ticked from the start. */
  readonly preselected: boolean
}

/**
 * Lets some of several be ticked on the terminal, on stderr; none is an answer too.
 * @throws GsdError INTERRUPTED when the question is broken off.
 */
export const chooseOnTerminal = async (
  question: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<string[]> => {
  const { multiselect, isCancel } = await import('@clack/prompts')
  const answer = await multiselect({
    message: question,
    options: choices.map(({ value, label }) => ({ value, label })),
    initialValues: choices.filter(({ preselected }) => preselected).map(({ value }) => value),
    required: false,
    output: promptOutput(),
    signal,
  })
  if (isCancel(answer)) throw new GsdError('INTERRUPTED', 'interrupted at the question; nothing was changed')
  return answer
}

/** stderr, of which the width is known: where a terminal says 0, questions would stand on it one letter a line. */
const promptOutput = (): NodeJS.WriteStream => {
  if (process.stderr.columns === 0) process.stderr.columns = 80
  return process.stderr
}

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
