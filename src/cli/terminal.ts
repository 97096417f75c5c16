import { GsdError } from '../errors.ts'
import { isTerminal } from './output.ts'
import type { View } from './view/view.ts'

/** The user at the terminal. Everything goes to stderr: stdout is for the answer. */
export interface Terminal {
  /** Prints what must be seen even with `--quiet`, such as a disclosure. */
  printToStderr(text: (view: View) => string): void
  /**
   * Asks a yes/no question; the default is no, and Esc and Ctrl-C are no. `showAll` prints everything and the question comes
   * again. Null without a TTY and with `--json`.
   * @throws GsdError INTERRUPTED if the process is interrupted by a signal
   */
  readonly confirm: ((question: string, showAll?: () => Promise<void>) => Promise<boolean>) | null
  /** Asks for any number of choices; null without a terminal. @throws GsdError INTERRUPTED */
  readonly choose: ((question: string, choices: readonly Choice[]) => Promise<string[]>) | null
}

/** @param streams where to print, and whether the answer is JSON */
export const openTerminal = (
  streams: Pick<Terminal, 'printToStderr'> & { readonly json: boolean },
  signal: AbortSignal,
): Terminal => {
  const answers = !streams.json && isTerminal(0) && isTerminal(2)
  return {
    printToStderr: streams.printToStderr,
    confirm: answers ? (question, showAll) => confirmOnTerminal(question, signal, showAll) : null,
    choose: answers ? (question, choices) => chooseOnTerminal(question, choices, signal) : null,
  }
}

/**
 * Asks a yes/no question on the terminal, on stderr; the default is no, and Esc and Ctrl-C are no.
 * @throws GsdError INTERRUPTED if the process is interrupted by a signal
 */
export const confirmOnTerminal = async (
  question: string,
  signal: AbortSignal,
  showAll?: () => Promise<void>,
): Promise<boolean> => {
  const { selectKey, isCancel } = await import('@clack/prompts')
  for (;;) {
    const answer = await selectKey({
      message: question,
      options: [
        { value: 'n', label: 'No' },
        { value: 'y', label: 'Yes' },
        ...(showAll === undefined ? [] : [{ value: 'v', label: 'View every file first' }]),
      ],
      initialValue: 'n',
      output: promptOutput(),
      signal,
    })
    if (signal.aborted) throw new GsdError('INTERRUPTED', 'interrupted; nothing was changed')
    if (answer === 'v') await showAll?.()
    else if (isCancel(answer) || answer !== 'y') return sayNo(isCancel(answer))
    else return true
  }
}

const sayNo = (cancelled: boolean): false => {
  if (cancelled) promptOutput().write('No\n')
  return false
}

export interface Choice {
  readonly value: string
  readonly label: string
  /** Selected by default. */
  readonly preselected: boolean
}

/**
 * Asks for any number of choices on the terminal, on stderr.
 * @throws GsdError INTERRUPTED if the question is cancelled.
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
  if (isCancel(answer)) throw new GsdError('INTERRUPTED', 'interrupted; nothing was changed')
  return answer
}

/** stderr with a usable width: with 0 columns a question would take one line a letter. */
const promptOutput = (): NodeJS.WriteStream => {
  if (process.stderr.columns === 0) process.stderr.columns = 80
  return process.stderr
}
