import { GsdError } from '../errors.ts'

/** Whose fault it is that some work fails. */
export interface ErrorContext {
  /** In front of the message, which goes on behind a colon. */
  readonly prefix: string
  /** Beside the error's own details. */
  readonly details: Readonly<Record<string, string>>
}

/** Does work on one of several capabilities; of what fails the message says of which. @throws what the work throws */
export const withErrorContext = async <T>(
  { prefix, details: more }: ErrorContext,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    const { code, message, hint, details } = error
    throw new GsdError(code, `${prefix}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      details: { ...(typeof details === 'object' ? details : {}), ...more },
      cause: error,
    })
  }
}
