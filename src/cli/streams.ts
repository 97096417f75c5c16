import type { ExitStatus } from '../codes.ts'
import type { Report } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { errnoReason } from '../platform/disk-error.ts'
import { cleanText } from '../redact.ts'
import type { Answer } from './command.ts'
import { wantsJson } from './flag-values.ts'
import { openOutput, type Output } from './output.ts'
import { diagnosticText, errorText } from './view/diagnostic-text.ts'
import { escapeControls, makeView, type View } from './view/view.ts'

/** stdout for the answer, stderr for everything else. */
export interface Streams {
  readonly json: boolean
  /** How text on stdout is laid out. */
  readonly view: View
  readonly reporter: Reporter
  /** Prints on stderr, whatever the flags. */
  printToStderr(text: (view: View) => string): void
  /** Prints an answer, and returns the exit status that goes with it. */
  printAnswer(answer: Answer): number
  /** Prints an error, and returns the exit status that goes with it. */
  printError(error: GsdError): ExitStatus
  /** Why the answer could not be written, or null. */
  readonly failure: unknown
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads its flags from the raw command line, so that errors in it are printed in the right form too. */
export const openStreams = (argv: readonly string[], env: Env): Streams => {
  const json = wantsJson(argv)
  const quiet = argv.includes('--quiet')
  const stdout = openOutput(1)
  const stderr = openOutput(2)
  const view = viewOf(stdout, argv, env)
  const errorView = viewOf(stderr, argv, env)
  const reporter = makeReporter(stderr, errorView, quiet)

  const write = (text: string): void => {
    reporter.clear()
    if (text !== '') stdout.write(endLine(text))
  }
  const print = (text: string): void => write(escapeControls(text))
  const printToStderr = (text: (view: View) => string): void => {
    reporter.clear()
    stderr.write(endLine(escapeControls(text(errorView))))
  }
  const printRaw = (text: string): void => {
    reporter.clear()
    stdout.write(text)
  }
  const printJson = (document: JsonAnswer): void => write(jsonText(document, stdout.tty))

  return {
    json,
    view,
    reporter,
    printToStderr,
    printAnswer({ data, human, raw, warnings: found = [], error, exit = 0 }) {
      const warnings = found.filter((warning) => !reporter.warnings.some((said) => isSame(said, warning)))
      for (const warning of warnings)
        if (!quiet || warning.severity === 'error') printToStderr((v) => diagnosticText(warning, v))
      const all: readonly Diagnostic[] = [...reporter.warnings, ...warnings]
      if (raw !== undefined) printRaw(raw)
      else if (!json) print(human(view))
      else if (error === undefined) printJson({ ok: true, data, warnings: all })
      else printJson({ ok: false, error, data, warnings: all })
      if (error === undefined) return exit
      printToStderr((v) => errorText(error, v))
      return error.exitStatus
    },
    printError(error) {
      if (json) printJson({ ok: false, error, warnings: reporter.warnings })
      printToStderr((v) => errorText(error, v))
      return error.exitStatus
    },
    get failure() {
      return stdout.failure
    },
  }
}

/** One file may be read for several things; what is wrong with it is reported once. */
const isSame = (a: Diagnostic, b: Diagnostic): boolean => JSON.stringify(a) === JSON.stringify(b)

const viewOf = (output: Output, argv: readonly string[], env: Env): View => {
  const colour = output.tty && !argv.includes('--no-color') && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return makeView(output.columns, colour, argv.includes('--verbose'))
}

const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

/** Output on stderr while a command works, and the warnings for its answer. */
export interface Reporter {
  report(report: Report): void
  /** Clears an unfinished progress line. */
  clear(): void
  /** Reported warnings, in order. */
  readonly warnings: readonly Diagnostic[]
}

const CLEAR_LINE = '\r\u001b[2K'
const MEBIBYTE = 1024 * 1024

/** Milliseconds of work after which its progress is shown, and between two lines without news. */
const PROGRESS_DELAY_MS = 1000

/**
 * `quiet` hides all but errors. Progress shows on a TTY only, on one line, from the second second on;
 * the seconds count on while nothing new is reported.
 */
export const makeReporter = (err: Output, view: View, quiet: boolean, now = () => performance.now()): Reporter => {
  const warnings: Diagnostic[] = []
  let busy = false
  let work: { readonly start: number; last: Progress; readonly timer: NodeJS.Timeout } | null = null
  const show = (): void => {
    if (work === null || now() - work.start < PROGRESS_DELAY_MS) return
    const line = progressText(work.last, Math.floor((now() - work.start) / 1000), view.width)
    err.write(`${CLEAR_LINE}${view.style('dim', line)}`)
    busy = true
  }
  const clear = (): void => {
    if (busy) err.write(CLEAR_LINE)
    busy = false
    if (work !== null) clearInterval(work.timer)
    work = null
  }
  const report = (said: Report): void => {
    if (said.kind === 'warning' && warnings.some((warning) => isSame(warning, said.diagnostic))) return
    if (said.kind === 'progress') {
      if (quiet || !err.tty) return
      if (work === null) work = { start: now(), last: said, timer: setInterval(show, PROGRESS_DELAY_MS).unref() }
      work.last = said
      show()
      return
    }
    if (busy) err.write(CLEAR_LINE)
    busy = false
    if (said.kind === 'warning') {
      warnings.push(said.diagnostic)
      if (!quiet || said.diagnostic.severity === 'error') err.write(`${diagnosticText(said.diagnostic, view)}\n`)
    } else if (!quiet) err.write(`${cleanText(said.text)}\n`)
  }
  return { report, clear, warnings }
}

type Progress = Extract<Report, { kind: 'progress' }>

const progressText = ({ text, done, total }: Progress, seconds: number, width: number): string => {
  const amount = done === undefined ? '' : ` ${size(done)}${total === undefined ? '' : ` of ${size(total)}`}`
  const end = `${amount} (${seconds} s)`
  return `${cleanText(text).slice(0, Math.max(0, width - 1 - end.length))}${end}`
}

const size = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

/** The one JSON document of a `--json` answer (contract, "Command line"). */
export type JsonAnswer =
  | { readonly ok: true; readonly data: unknown; readonly warnings: readonly Diagnostic[] }
  | {
      readonly ok: false
      readonly error: GsdError
      /** Reports that are given whatever the exit status. */
      readonly data?: unknown
      readonly warnings: readonly Diagnostic[]
    }

/** Characters that JSON allows unescaped but a terminal may interpret. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** One line for programs, indented on a terminal. */
export const jsonText = (document: JsonAnswer, indented: boolean): string => {
  const text = JSON.stringify(document, null, indented ? 2 : 0)
  return `${text.replace(CONTROL_CHARACTERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Turns anything thrown into the error to show: ours as it is, system errors in words, anything else as a bug. */
export const toGsdError = (thrown: unknown, interrupted: boolean): GsdError => {
  if (thrown instanceof GsdError) return thrown
  if (interrupted) return new GsdError('INTERRUPTED', 'interrupted', { cause: thrown })
  const errno = errnoOf(thrown)
  if (errno !== undefined && thrown instanceof Error && 'syscall' in thrown) {
    const { code, text, hint } = errnoReason(errno)
    return new GsdError(code, `${text} (${thrown.message})`, { cause: thrown, ...(hint === undefined ? {} : { hint }) })
  }
  return new GsdError('INTERNAL_ERROR', `a bug in gsd: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
    hint: 'please report it with this line, the command you typed, and its output with --verbose',
    cause: thrown,
  })
}
