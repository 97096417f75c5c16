import { GsdError } from '../errors.ts'

/**
 * Asks a yes/no question on the terminal, on stderr; the default is no.
 * @throws GsdError INTERRUPTED when the question is broken off.
 */
export const ask = async (question: string, signal: AbortSignal): Promise<boolean> => {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr, signal })
  if (isCancel(answer)) throw new GsdError('INTERRUPTED', 'interrupted at the question; nothing was changed')
  return answer
}
