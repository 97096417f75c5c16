import type { Report } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { cleanText } from '../redact.ts'
import type { Output } from './output.ts'
import { diagnosticText } from './view/diagnostic-text.ts'
import type { View } from './view/view.ts'

/** What is said on stderr while a command works, and what of it belongs into its answer. */
export interface Reporter {
  report(report: Report): void
  /** Takes an unfinished progress line off the screen. */
  clear(): void
  /** Warnings that were reported, in order. */
  readonly warnings: readonly Diagnostic[]
}

const CLEAR_LINE = '\r\u001b[2K'
const MEBIBYTE = 1024 * 1024

/** Notices and progress go when `quiet` is set; warnings stay. Progress shows on a TTY only, on one line. */
export const makeReporter = (err: Output, view: View, quiet: boolean): Reporter => {
  const warnings: Diagnostic[] = []
  let busy = false
  const clear = (): void => {
    if (busy) err.write(CLEAR_LINE)
    busy = false
  }
  const report = (said: Report): void => {
    if (said.kind === 'warning' && warnings.some((warning) => isSame(warning, said.diagnostic))) return
    if (said.kind === 'progress') {
      if (quiet || !err.tty) return
      err.write(`${CLEAR_LINE}${view.style('dim', progressText(said, view.width))}`)
      busy = true
      return
    }
    clear()
    if (said.kind === 'warning') {
      warnings.push(said.diagnostic)
      err.write(`${diagnosticText(said.diagnostic, view)}\n`)
    } else if (!quiet) err.write(`${cleanText(said.text)}\n`)
  }
  return { report, clear, warnings }
}

/** One file is read for several things, and what is wrong with it is said once. */
const isSame = (a: Diagnostic, b: Diagnostic): boolean => JSON.stringify(a) === JSON.stringify(b)

const progressText = ({ text, done, total }: Extract<Report, { kind: 'progress' }>, width: number): string => {
  const amount = done === undefined ? '' : ` ${size(done)}${total === undefined ? '' : ` of ${size(total)}`}`
  return `${cleanText(text)}${amount}`.slice(0, width - 1)
}

const size = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`
