import { GsdError } from '../../errors.ts'

/** Whose fault it is that some work fails. */
export interface About {
  /** In front of the message, which goes on behind a colon. */
  readonly words: string
  /** Beside the error's own details. */
  readonly details: Readonly<Record<string, string>>
}

/** Does work on one of several capabilities; of what fails the message says of which. @throws what the work throws */
export const naming = async <T>({ words, details: more }: About, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    const { code, message, hint, details } = error
    throw new GsdError(code, `${words}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      details: { ...(typeof details === 'object' ? details : {}), ...more },
      cause: error,
    })
  }
}
