import type { ExitStatus } from '../codes.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { GsdError } from '../errors.ts'
import type { Answer } from './command.ts'
import { openOutput, type Output } from './output.ts'
import { makeReporter, type Reporter } from './reporter.ts'
import { wantsJson } from './split-arguments.ts'
import { diagnosticText, errorText } from './view/diagnostic-text.ts'
import { jsonText, type JsonAnswer } from './view/json-text.ts'
import { escapeControls } from './view/style.ts'
import { makeView, type View } from './view/view.ts'

/** stdout for the answer, stderr for everything else, each in the form that the command line asks for. */
export interface Streams {
  readonly json: boolean
  /** How text on stdout is laid out. */
  readonly view: View
  readonly reporter: Reporter
  /** Says something on stderr, whatever the flags. */
  printToStderr(text: (view: View) => string): void
  /** Prints an answer, and returns the exit status that goes with it. */
  printAnswer(answer: Answer): number
  /** Prints an error, and returns the exit status that goes with it. */
  printError(error: GsdError): ExitStatus
  /** Why the answer could not be written, or null. */
  readonly failure: unknown
}

type Env = Readonly<Record<string, string | undefined>>

/** Looks for its flags in the command line as typed, because also a wrong one is answered in the form it asks for. */
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
        if (!quiet || warning.severity !== 'info') printToStderr((v) => diagnosticText(warning, v))
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

const isSame = (a: Diagnostic, b: Diagnostic): boolean => JSON.stringify(a) === JSON.stringify(b)

const viewOf = (output: Output, argv: readonly string[], env: Env): View => {
  const colour = output.tty && !argv.includes('--no-color') && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return makeView(output.columns, colour, argv.includes('--verbose'))
}

const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
