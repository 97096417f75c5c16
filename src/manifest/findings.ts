import type { Severity } from '../diagnostic.ts'
import type { Path } from './pointer.ts'
import type { RuleCode } from './rule-codes.ts'
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
  readonly shown?: unknown
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
export const MOST_FAULTS = 500

interface Extra extends Partial<Pick<Fault, 'detail' | 'hint' | 'known' | 'offset' | 'part' | 'severity'>> {}

/** Collects the faults of one manifest while its values are walked; knows where the walk is. */
export class Findings {
  readonly faults: Fault[] = []
  /** Faults beyond {@link MOST_FAULTS}, which are only counted. */
  dropped = 0
  /** Whether any fault is an error, those that were dropped too. */
  failed = false
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
  wrong(code: RuleCode, shown: unknown, extra: Extra = {}): void {
    this.#add({ code, part: 'value', shown, ...extra, path: [...this.#path] })
  }

  /** The object where the walk is lacks a member. */
  missing(code: RuleCode, missing: string): void {
    this.#add({ code, part: 'value', missing, path: [...this.#path] })
  }

  /** A key of the object where the walk is breaks a rule. */
  key(code: RuleCode, key: string, extra: Extra = {}): void {
    this.#add({ code, part: 'key', shown: key, ...extra, path: [...this.#path, key] })
  }

  /** The value at a path of its own breaks a rule; for rules that look at several members. */
  at(path: Path, code: RuleCode, shown: unknown, extra: Extra = {}): void {
    this.#add({ code, part: 'value', shown, ...extra, path })
  }

  /** The object at a path of its own lacks a member. */
  absent(path: Path, code: RuleCode, missing: string): void {
    this.#add({ code, part: 'value', missing, path })
  }

  #add(fault: Omit<Fault, 'severity'> & { readonly severity?: Severity }): void {
    const severity = fault.severity ?? (RULES[fault.code].warns ? 'warning' : 'error')
    if (severity === 'error') this.failed = true
    if (this.faults.length < MOST_FAULTS) this.faults.push({ ...fault, severity })
    else this.dropped++
  }
}
