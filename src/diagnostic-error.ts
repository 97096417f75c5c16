import { CODES, type Code } from './codes.ts'
import type { Diagnostic } from './diagnostic.ts'
import { GsdError } from './errors.ts'

/** A finding that refuses the whole command, as the error it is then. A rule's code becomes `otherwise`. */
export const errorOfDiagnostic = (finding: Diagnostic, otherwise: Code, details?: unknown): GsdError => {
  const { code, message, hint, file, line, column } = finding
  return new GsdError(isCode(code) ? code : otherwise, message, {
    ...(hint === undefined ? {} : { hint }),
    details: details ?? { file, line, column },
  })
}

const isCode = (code: string): code is Code => Object.hasOwn(CODES, code)
