import { isCode, type Code } from './codes.ts'
import { GsdError } from './errors.ts'
import { cleanText } from './redact.ts'

/** A code of the program, or of a manifest rule (`manifest/rules/table.ts`). */
export type DiagnosticCode = Code | `MANIFEST_${string}`

export type Severity = 'error' | 'warning' | 'info'
export type ScopeName = 'global' | 'project'

/**
 * A finding as a value: what is wrong, with what, where, and how to fix it. Problems found while reading the disk are
 * diagnostics, not errors.
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
  /** JSON pointer into the manifest; for a missing member that of its parent. */
  readonly path?: string
  /** The next command or edit that fixes it. */
  readonly hint?: string
}

/** Builds a diagnostic with text that is safe in a terminal. */
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

/** The error for a finding that ends the whole command. The code of a manifest rule becomes `otherwise`. */
export const errorFromDiagnostic = (finding: Diagnostic, otherwise: Code, details?: unknown): GsdError => {
  const { code, message, hint, file, line, column } = finding
  return new GsdError(isCode(code) ? code : otherwise, message, {
    ...(hint === undefined ? {} : { hint }),
    details: details ?? { file, line, column },
  })
}
