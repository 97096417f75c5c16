import { exitStatusOf, type Code, type ExitStatus } from './codes.ts'
import { cleanText } from './redact.ts'

/** The `error` member of a `--json` answer. */
export interface ErrorObject {
  readonly code: Code
  readonly message: string
  readonly hint?: string
  readonly details?: unknown
}

export interface GsdErrorOptions {
  /** The next command or edit. */
  readonly hint?: string
  /** Data for programs; `--json` prints it unchanged. */
  readonly details?: unknown
  readonly cause?: unknown
}

/**
 * The only error that this program throws on purpose. `message` contains the offending value, quoted; `hint` is the next
 * step. Control characters are escaped and URLs redacted here, so that no caller can forget it.
 */
export class GsdError extends Error {
  readonly code: Code
  readonly hint: string | undefined
  readonly details: unknown

  constructor(code: Code, message: string, options: GsdErrorOptions = {}) {
    super(cleanText(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'GsdError'
    this.code = code
    this.hint = options.hint === undefined ? undefined : cleanText(options.hint)
    this.details = options.details
  }

  get exitStatus(): ExitStatus {
    return exitStatusOf(this.code)
  }

  toJSON(): ErrorObject {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.details === undefined ? {} : { details: this.details }),
    }
  }
}

/** `error.code` of a Node system error (`ENOENT`, `EACCES`, …), or undefined. */
export const errnoOf = (error: unknown): string | undefined => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : undefined
}

/** The error for Ctrl-C. */
export const interruptedError = (): GsdError => new GsdError('INTERRUPTED', 'interrupted; nothing was left behind')
