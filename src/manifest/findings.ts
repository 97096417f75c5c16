import type { Severity } from '../diagnostic.ts'
import type { Path } from './json/pointer.ts'
import type { RuleCode } from './rules/table.ts'
import { RULES } from './rules/table.ts'

/** A broken rule, with its place and value. Its message is only made when someone reads it. */
export interface Fault {
  readonly code: RuleCode
  readonly severity: Severity
  /** Path of the value; for a missing member, of its parent. */
  readonly path: Path
  /** Whether the key or the value is at fault. */
  readonly part: 'key' | 'value'
  /** The offending value or key. */
  readonly found?: unknown
  /** Name of the missing member. */
  readonly missing?: string
  readonly detail?: string
  /** The remedy, when the rule cannot know it. */
  readonly hint?: string
  /** Position in the text, when it differs from that of the path; UTF-16 code units. */
  readonly offset?: number
  /** For an unknown key or value: the known ones, to suggest the nearest. */
  readonly known?: Iterable<string>
}

/** How many faults are kept; a hostile file could have a million. */
export const MAX_FAULTS = 500

interface FaultDetails extends Partial<Pick<Fault, 'detail' | 'hint' | 'known' | 'offset' | 'part' | 'severity'>> {}

/** Collects the faults of one manifest during a walk over its values, and knows the position of the walk. */
export class Findings {
  readonly faults: Fault[] = []
  /** The number of faults beyond {@link MAX_FAULTS}. */
  dropped = 0
  /** Whether any fault is an error, dropped ones included. */
  hasErrors = false
  readonly #path: (string | number)[] = []

  enter(key: string | number): void {
    this.#path.push(key)
  }

  leave(): void {
    this.#path.pop()
  }

  /** Levels between the root and the position of the walk. */
  get depth(): number {
    return this.#path.length
  }

  /** The current value breaks a rule. */
  reportValue(code: RuleCode, found: unknown, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'value', found, ...extra, path: [...this.#path] })
  }

  /** The current object lacks a member. */
  reportMissing(code: RuleCode, missing: string): void {
    this.#add({ code, part: 'value', missing, path: [...this.#path] })
  }

  /** A key of the current object breaks a rule. */
  reportKey(code: RuleCode, key: string, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'key', found: key, ...extra, path: [...this.#path, key] })
  }

  /** The value at a path breaks a rule; for rules over several members. */
  reportAt(path: Path, code: RuleCode, found: unknown, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'value', found, ...extra, path })
  }

  /** The object at a path lacks a member. */
  reportMissingAt(path: Path, code: RuleCode, missing: string): void {
    this.#add({ code, part: 'value', missing, path })
  }

  #add(fault: Omit<Fault, 'severity'> & { readonly severity?: Severity }): void {
    const severity = fault.severity ?? (RULES[fault.code].isWarning ? 'warning' : 'error')
    if (severity === 'error') this.hasErrors = true
    if (this.faults.length < MAX_FAULTS) this.faults.push({ ...fault, severity })
    else this.dropped++
  }
}
