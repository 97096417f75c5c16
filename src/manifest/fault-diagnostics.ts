import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import type { Fault, Findings } from './findings.ts'
import type { Position } from './json/line-index.ts'
import { pointerOf, formatPath } from './json/pointer.ts'
import type { Rule, MessageContext } from './rules/rule.ts'
import { RULES } from './rules/table.ts'

/** Where a fault's text and position come from. */
export interface FaultSource {
  readonly file?: string
  readonly id?: string
  readonly locate?: (pointer: string, part: 'key' | 'value') => Position
  readonly position?: (offset: number) => Position
}

/** The faults of one manifest as diagnostics, in the order of its text. */
export const faultDiagnostics = (findings: Findings, source: FaultSource): Diagnostic[] => {
  const shown = findings.faults.map((fault) => faultDiagnostic(fault, source)).sort(compareByPosition)
  if (findings.dropped === 0) return shown
  // A dropped fault may be an error.
  const severity = findings.hasErrors ? 'error' : 'warning'
  const more: Fault = {
    code: 'MANIFEST_MORE_FAULTS',
    severity,
    path: [],
    part: 'value',
    detail: String(findings.dropped),
  }
  return [...shown, faultDiagnostic(more, source)]
}

/** In the order of the text; without positions the order does not change. */
export const compareByPosition = (a: Diagnostic, b: Diagnostic): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)

const faultDiagnostic = (fault: Fault, source: FaultSource): Diagnostic => {
  const rule = RULES[fault.code]
  const path = pointerOf(fault.path)
  const [message, hint] =
    fault.missing === undefined ? formatFault(rule, fault) : formatMissing(rule, fault, fault.missing)
  return diagnostic(fault.severity, fault.code, message, {
    ...(source.id === undefined ? {} : { id: source.id }),
    ...(source.file === undefined ? {} : { file: source.file }),
    ...(fault.offset === undefined ? source.locate?.(path, fault.part) : source.position?.(fault.offset)),
    path,
    ...(hint === undefined ? {} : { hint }),
  })
}

const formatFault = (rule: Rule, fault: Fault): readonly [message: string, hint: string | undefined] => {
  const values: MessageContext = {
    subject: formatPath(fault.path),
    parent: formatPath(fault.path.slice(0, -1)),
    // JSON has no infinite numbers: quoting would write null.
    found: typeof fault.found === 'number' ? String(fault.found) : quote(fault.found),
    detail: fault.detail ?? suggestName(fault),
  }
  const message = rule.message?.(values) ?? `${values.subject} must be ${rule.requirement}, not ${values.found}`
  const hint = fault.hint ?? (typeof rule.hint === 'function' ? rule.hint(values) : rule.hint)
  return [message, hint ?? (rule.example === undefined ? undefined : `write for example ${rule.example}`)]
}

const formatMissing = (rule: Rule, fault: Fault, missing: string): readonly [message: string, hint: string] => {
  const from = fault.path.length === 0 ? '' : ` from ${formatPath(fault.path)}`
  const remedy = rule.example === undefined ? '' : `, for example "${missing}": ${rule.example}`
  return [`"${missing}" is missing${from}`, `add it: ${rule.requirement}${remedy}`]
}

const suggestName = ({ known, found }: Fault): string =>
  known === undefined || typeof found !== 'string' ? '' : (nearestWord(found, [...known]) ?? '')
