import { GsdError } from '../errors.ts'

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
