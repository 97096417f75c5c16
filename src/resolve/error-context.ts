import { GsdError } from '../errors.ts'

/** Adds to an error which capability it is about. */
export interface ErrorContext {
  /** Put before the message, with a colon. */
  readonly prefix: string
  /** Added to the error's own details. */
  readonly details: Readonly<Record<string, string>>
}

/** Runs work on one of several capabilities, and names it in errors. @throws what the work throws, with that prefix */
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
