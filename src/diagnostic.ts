import type { Code } from './codes.ts'
import { CODES } from './codes.ts'
import { GsdError } from './errors.ts'
import { cleanText } from './redact.ts'
import type { RuleCode } from './rule-codes.ts'

/** Any code a diagnostic can carry: the program's own and those of the manifest rules. */
export type DiagnosticCode = Code | RuleCode

export type Severity = 'error' | 'warning' | 'info'
export type ScopeName = 'global' | 'project'

/**
 * A finding as a value: what is wrong, with what, where, and what mends it. Problems found while reading the disk are
 * diagnostics, never throws.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  /** The capability it is about. */
  readonly id?: string
  readonly scope?: ScopeName
  readonly file?: string
  /** 1-based. */
  readonly line?: number
  /** 1-based, in UTF-16 code units. */
  readonly column?: number
  /** JSON pointer into the manifest; of a missing member it is the parent object's. */
  readonly path?: string
  /** The next command or edit that mends it. */
  readonly hint?: string
}

/** Builds a diagnostic with text fit for a terminal. */
export const diagnostic = (
  severity: Severity,
  code: DiagnosticCode,
  message: string,
  rest: Omit<Diagnostic, 'severity' | 'code' | 'message'> = {},
): Diagnostic => ({
  code,
  severity,
  message: cleanText(message),
  ...rest,
  ...(rest.hint === undefined ? {} : { hint: cleanText(rest.hint) }),
})

/** A finding that refuses the whole command, as the error it is then. A rule's code becomes `otherwise`. */
export const errorFromDiagnostic = (finding: Diagnostic, otherwise: Code, details?: unknown): GsdError => {
  const { code, message, hint, file, line, column } = finding
  return new GsdError(isCode(code) ? code : otherwise, message, {
    ...(hint === undefined ? {} : { hint }),
    details: details ?? { file, line, column },
  })
}

const isCode = (code: string): code is Code => Object.hasOwn(CODES, code)
