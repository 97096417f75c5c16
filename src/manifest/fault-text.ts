import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import type { Fault, Findings } from './findings.ts'
import type { Position } from './line-index.ts'
import { pointerOf, readablePath } from './pointer.ts'
import type { Rule, Said } from './rules/rule.ts'
import { RULES } from './rules/table.ts'

/** Where a fault's text and position come from. */
export interface FaultSource {
  readonly file?: string
  readonly id?: string
  readonly locate?: (pointer: string, part: 'key' | 'value') => Position
  readonly position?: (offset: number) => Position
}

/** The faults of one manifest as they are shown, in the order of its text. */
export const faultDiagnostics = (findings: Findings, source: FaultSource): Diagnostic[] => {
  const shown = findings.faults.map((fault) => faultDiagnostic(fault, source)).sort(byPosition)
  if (findings.dropped === 0) return shown
  // What is only counted may have been an error.
  const severity = findings.failed ? 'error' : 'warning'
  const more: Fault = {
    code: 'MANIFEST_MORE_FAULTS',
    severity,
    path: [],
    part: 'value',
    detail: String(findings.dropped),
  }
  return [...shown, faultDiagnostic(more, source)]
}

/** In the order of the text; without positions the order stays. */
export const byPosition = (a: Diagnostic, b: Diagnostic): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)

/** A fault as it is shown: message, remedy, file, line, column and pointer. */
const faultDiagnostic = (fault: Fault, source: FaultSource): Diagnostic => {
  const rule = RULES[fault.code]
  const path = pointerOf(fault.path)
  const [message, hint] = fault.missing === undefined ? textOf(rule, fault) : textOfMissing(rule, fault, fault.missing)
  return diagnostic(fault.severity, fault.code, message, {
    ...(source.id === undefined ? {} : { id: source.id }),
    ...(source.file === undefined ? {} : { file: source.file }),
    ...(fault.offset === undefined ? source.locate?.(path, fault.part) : source.position?.(fault.offset)),
    path,
    ...(hint === undefined ? {} : { hint }),
  })
}

const textOf = (rule: Rule, fault: Fault): readonly [message: string, hint: string | undefined] => {
  const said: Said = {
    subject: readablePath(fault.path),
    parent: readablePath(fault.path.slice(0, -1)),
    // JSON has no word for a number that is too large; quoting would call it null.
    shown: typeof fault.shown === 'number' ? String(fault.shown) : quote(fault.shown),
    detail: fault.detail ?? suggestionFor(fault),
  }
  const message = rule.says?.(said) ?? `${said.subject} must be ${rule.demands}, not ${said.shown}`
  const hint = fault.hint ?? (typeof rule.hint === 'function' ? rule.hint(said) : rule.hint)
  return [message, hint ?? (rule.example === undefined ? undefined : `write for example ${rule.example}`)]
}

const textOfMissing = (rule: Rule, fault: Fault, missing: string): readonly [message: string, hint: string] => {
  const from = fault.path.length === 0 ? '' : ` from ${readablePath(fault.path)}`
  const remedy = rule.example === undefined ? '' : `, for example "${missing}": ${rule.example}`
  return [`"${missing}" is missing${from}`, `add it: ${rule.demands}${remedy}`]
}

const suggestionFor = ({ known, shown }: Fault): string =>
  known === undefined || typeof shown !== 'string' ? '' : (nearestWord(shown, [...known]) ?? '')
