import { errnoOf, GsdError } from '../errors.ts'
import type { Code } from '../codes.ts'

const OUTSIDE: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['EACCES', 'STATE_PERMISSION'],
  ['EPERM', 'STATE_PERMISSION'],
  ['EROFS', 'STATE_PERMISSION'],
  ['ENOSPC', 'STATE_DISK_FULL'],
  ['EDQUOT', 'STATE_DISK_FULL'],
])

/** Whatever was thrown, as the error that is shown: our own as it is, the system's by kind, the rest as a bug. */
export const failureOf = (thrown: unknown, interrupted: boolean): GsdError => {
  if (thrown instanceof GsdError) return thrown
  if (interrupted) return new GsdError('INTERRUPTED', 'interrupted', { cause: thrown })
  const errno = errnoOf(thrown)
  if (errno !== undefined && thrown instanceof Error && 'syscall' in thrown)
    return new GsdError(OUTSIDE.get(errno) ?? 'STATE_IO', thrown.message, {
      hint: 'gsd capability list shows what is installed now',
      cause: thrown,
    })
  return new GsdError('INTERNAL_ERROR', `a bug in gsd: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
    hint: 'please report it with this line, the command, and what it prints with --verbose',
    cause: thrown,
  })
}
