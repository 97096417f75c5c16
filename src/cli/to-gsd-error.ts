import { errnoOf, GsdError } from '../errors.ts'
import { errnoReason } from '../platform/disk-error.ts'

/** Whatever was thrown, as the error that is shown: our own as it is, the system's in words, the rest as a bug. */
export const toGsdError = (thrown: unknown, interrupted: boolean): GsdError => {
  if (thrown instanceof GsdError) return thrown
  if (interrupted) return new GsdError('INTERRUPTED', 'interrupted', { cause: thrown })
  const errno = errnoOf(thrown)
  if (errno !== undefined && thrown instanceof Error && 'syscall' in thrown) {
    const { code, text, hint } = errnoReason(errno)
    return new GsdError(code, `${text} (${thrown.message})`, { cause: thrown, ...(hint === undefined ? {} : { hint }) })
  }
  return new GsdError('INTERNAL_ERROR', `a bug in gsd: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
    hint: 'please report it: this line, the command you typed, and what it prints with --verbose',
    cause: thrown,
  })
}
