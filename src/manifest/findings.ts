import type { Severity } from '../diagnostic.ts'
import type { RuleCode } from '../rule-codes.ts'
import type { Path } from './json/pointer.ts'
import { RULES } from './rules/table.ts'

/** A rule that was broken, where, and by what. Its text is made later, and only when somebody reads it. */
export interface Fault {
  readonly code: RuleCode
  readonly severity: Severity
  /** Where it is; of a missing member the parent. */
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
  /** Where it stands in the text, when that is not where the path leads; UTF-16 code units. */
  readonly offset?: number
  /** Of an unknown key: what it may have been meant to be. */
  readonly known?: Iterable<string>
}

/** How many faults are kept; a hostile file could hold a million. */
export const MAX_FAULTS = 500

interface FaultDetails extends Partial<Pick<Fault, 'detail' | 'hint' | 'known' | 'offset' | 'part' | 'severity'>> {}

/** Collects the faults of one manifest while its values are walked; knows where the walk is. */
export class Findings {
  readonly faults: Fault[] = []
  /** Faults beyond {@link MAX_FAULTS}, which are only counted. */
  dropped = 0
  /** Whether any fault is an error, those that were dropped too. */
  hasErrors = false
  readonly #path: (string | number)[] = []

  enter(key: string | number): void {
    this.#path.push(key)
  }

  leave(): void {
    this.#path.pop()
  }

  /** How many levels below the root the walk is. */
  get depth(): number {
    return this.#path.length
  }

  /** The value where the walk is breaks a rule. */
  reportValue(code: RuleCode, found: unknown, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'value', found, ...extra, path: [...this.#path] })
  }

  /** The object where the walk is lacks a member. */
  reportMissing(code: RuleCode, reportMissing: string): void {
    this.#add({ code, part: 'value', missing: reportMissing, path: [...this.#path] })
  }

  /** A key of the object where the walk is breaks a rule. */
  reportKey(code: RuleCode, key: string, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'key', found: key, ...extra, path: [...this.#path, key] })
  }

  /** The value at a path of its own breaks a rule; for rules that look at several members. */
  reportAt(path: Path, code: RuleCode, found: unknown, extra: FaultDetails = {}): void {
    this.#add({ code, part: 'value', found, ...extra, path })
  }

  /** The object at a path of its own lacks a member. */
  reportMissingAt(path: Path, code: RuleCode, reportMissing: string): void {
    this.#add({ code, part: 'value', missing: reportMissing, path })
  }

  #add(fault: Omit<Fault, 'severity'> & { readonly severity?: Severity }): void {
    const severity = fault.severity ?? (RULES[fault.code].isWarning ? 'warning' : 'error')
    if (severity === 'error') this.hasErrors = true
    if (this.faults.length < MAX_FAULTS) this.faults.push({ ...fault, severity })
    else this.dropped++
  }
}
