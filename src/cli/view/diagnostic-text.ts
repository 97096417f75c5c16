import type { Diagnostic } from '../../diagnostic.ts'
import type { GsdError } from '../../errors.ts'
import { cleanText } from '../../redact.ts'
import type { StyleName, View } from './view.ts'

const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Diagnostic['severity'],
  StyleName
>

/** A diagnostic on one line, with its hint on a second: `warning CODE file:line:column: message`. */
export const diagnosticText = (diagnostic: Diagnostic, view: View): string => {
  const { severity, code, message, hint } = diagnostic
  const place = locationText(diagnostic)
  const head = `${view.style(COLOURS[severity], severity)} ${view.style('dim', code)}`
  return [`${head} ${place === '' ? '' : `${place}: `}${message}`, ...hintLines(hint, view)].join('\n')
}

/** `file:line:column`, or as much as is known. File names are untrusted. */
export const locationText = ({ file, line, column }: Diagnostic): string =>
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

/** A finding without a position that the error already states. */
const isRepeated = (finding: Diagnostic, { code, message }: GsdError): boolean =>
  finding.code === code && finding.file === undefined && message.includes(finding.message)

/** Findings in an error's `details.diagnostics`. */
const diagnosticsOf = (details: unknown): readonly Diagnostic[] => {
  const found = typeof details === 'object' && details !== null && 'diagnostics' in details ? details.diagnostics : []
  return Array.isArray(found) ? (found as readonly Diagnostic[]) : []
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')

const MAX_WIDTH = 100

/** The lines of a text; split once for all findings. */
export const splitLines = (text: string): readonly string[] => text.split(/\r\n|\n|\r/)

/** The line of a finding, with a caret under its column; a long line is cut around it. */
export const sourceExcerpt = (lines: readonly string[], line: number, column: number, width: number): string[] => {
  const source = lines[line - 1]
  if (source === undefined) return []
  const room = Math.max(20, Math.min(width, MAX_WIDTH) - 10)
  const start = column > room ? column - Math.trunc(room / 2) : 0
  const shown = source.slice(start, start + room).replaceAll('\t', ' ')
  const number = String(line)
  return [
    `  ${number} | ${cleanText(shown)}`,
    `  ${' '.repeat(number.length)} | ${' '.repeat(cleanText(shown.slice(0, column - 1 - start)).length)}^`,
  ]
}
