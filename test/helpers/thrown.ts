import { GsdError } from '../../src/errors.ts'

/** The error that a call throws; a call that returns, or throws anything else, fails the test. */
export const thrownBy = (call: () => unknown): GsdError => {
  try {
    call()
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

export const codeOf = (call: () => unknown): string => thrownBy(call).code
export const hintOf = (call: () => unknown): string | undefined => thrownBy(call).hint
