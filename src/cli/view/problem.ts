import type { Diagnostic } from '../../diagnostic.ts'
import type { GsdError } from '../../errors.ts'
import { cleanText } from '../../redact.ts'
import type { StyleName } from './style.ts'
import type { View } from './view.ts'

const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Diagnostic['severity'],
  StyleName
>

/** A diagnostic on one line, with its hint on a second: `warning CODE file:line:column: message`. */
export const diagnosticText = (diagnostic: Diagnostic, view: View): string => {
  const { severity, code, message, hint } = diagnostic
  const place = placeOf(diagnostic)
  const head = `${view.style(COLOURS[severity], severity)} ${view.style('dim', code)}`
  return [`${head} ${place === '' ? '' : `${place}: `}${message}`, ...hintLines(hint, view)].join('\n')
}

/** `file:line:column`, or as much of it as is known. Folders are called what somebody else chose. */
export const placeOf = ({ file, line, column }: Diagnostic): string =>
  [file === undefined ? undefined : cleanText(file), line, column].filter((part) => part !== undefined).join(':')

/** An error for a person; with `--verbose`, what caused it too. */
export const errorText = (error: GsdError, view: View): string => {
  const findings = diagnosticsOf(error.details)
    .filter((finding) => !isRepeated(finding, error))
    .map((finding) => indent(diagnosticText(finding, view)))
  return [
    `${view.style('red', 'error')} ${view.style('dim', error.code)} ${error.message}`,
    ...findings,
    ...hintLines(error.hint, view),
    ...(view.verbose ? causeLines(error.cause, view) : []),
  ].join('\n')
}

const hintLines = (hint: string | undefined, view: View): string[] =>
  hint === undefined ? [] : [`  ${view.style('dim', 'hint:')} ${hint}`]

const causeLines = (cause: unknown, view: View): string[] =>
  cause instanceof Error ? [indent(view.style('dim', cause.stack ?? cause.message))] : []

/** A finding without a place of its own that the error has said already. */
const isRepeated = (finding: Diagnostic, { code, message }: GsdError): boolean =>
  finding.code === code && finding.file === undefined && message.includes(finding.message)

/** Findings that an error carries with it (`details.diagnostics`). */
const diagnosticsOf = (details: unknown): readonly Diagnostic[] => {
  const found = typeof details === 'object' && details !== null && 'diagnostics' in details ? details.diagnostics : []
  return Array.isArray(found) ? (found as readonly Diagnostic[]) : []
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
