import type { ExitStatus } from '../codes.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const INTERRUPTED: ExitStatus = 130

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an abort, so that the work cleans up after itself; a second one ends
 * the process at once, and the next command mends what is left.
 */
export const watchInterrupts = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return controller.signal
}
