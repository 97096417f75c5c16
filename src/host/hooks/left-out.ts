import type { Code } from '../../codes.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/** A part of a capability that one host cannot have. The rest of the capability is wired there. */
export interface LeftOut {
  /** With which `--strict` refuses. */
  readonly code: Code
  /** A sentence without its period. */
  readonly reason: string
  readonly details?: unknown
}

/** What `--strict` makes of a part that a host cannot have. */
export const leftOutError = (id: string, runtime: string, { code, reason, details }: LeftOut): GsdError =>
  new GsdError(code, `${quote(id)} cannot be wired into ${runtime} as a whole: ${reason}`, {
    hint: 'leave out --strict to wire the rest',
    details: details ?? { runtime },
  })
