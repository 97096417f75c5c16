import { Findings } from './findings.ts'
import { isForbiddenKey, isObject } from './shape.ts'

/** Levels of objects and arrays (page, "Reading"). */
export const DEEPEST = 64

/**
 * Walks a whole manifest once for the rules that hold everywhere in it: depth, forbidden keys, control characters (rule 4).
 * Returns how many keys it saw, by which repeated ones are found. What is nested too deep is reported and replaced by null,
 * so that nothing after this can be led astray by it.
 */
export const inspect = (value: unknown, findings: Findings): number => new Inspector(findings).visit(value, false)

class Inspector {
  readonly #findings: Findings

  constructor(findings: Findings) {
    this.#findings = findings
  }

  visit(value: unknown, long: boolean): number {
    if (typeof value === 'string') {
      if (SUSPECT.test(value)) this.#text(value, long)
      return 0
    }
    if (Array.isArray(value)) return this.#array(value, long)
    return isObject(value) ? this.#object(value as Record<string, unknown>, long) : 0
  }

  #array(list: unknown[], long: boolean): number {
    let keys = 0
    for (let index = 0; index < list.length; index++) {
      this.#findings.enter(index)
      if (this.#tooDeep(list[index])) list[index] = null
      else keys += this.visit(list[index], long)
      this.#findings.leave()
    }
    return keys
  }

  #object(value: Record<string, unknown>, long: boolean): number {
    let keys = 0
    for (const key of Object.keys(value)) {
      keys++
      if (isForbiddenKey(key)) this.#findings.key('MANIFEST_FORBIDDEN_KEY', key)
      this.#findings.enter(key)
      if (SUSPECT.test(key)) this.#text(key, false, 'key')
      if (this.#tooDeep(value[key])) value[key] = null
      else keys += this.visit(value[key], long || LONG_TEXTS.has(key))
      this.#findings.leave()
    }
    return keys
  }

  #tooDeep(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || this.#findings.depth < DEEPEST) return false
    this.#findings.wrong('MANIFEST_TOO_DEEP', null)
    return true
  }

  #text(text: string, long: boolean, part: 'key' | 'value' = 'value'): void {
    const control = (long ? CONTROL_IN_LONG_TEXT : CONTROL).exec(text)?.[0]
    if (control !== undefined) this.#findings.wrong('MANIFEST_CONTROL_CHARACTER', text, { part, detail: nameOf(control) })
    const half = HALF_CHARACTER.exec(text)?.[0]
    if (half !== undefined) this.#findings.wrong('MANIFEST_BROKEN_CHARACTER', text, { part, detail: nameOf(half) })
  }
}

const SUSPECT = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const CONTROL_IN_LONG_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const HALF_CHARACTER = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Members that may hold line breaks and tabs: descriptions, inline fragments, and the open bags of runtimes (rule 34). */
const LONG_TEXTS: ReadonlySet<string> = new Set(['description', 'inline', 'hostBehaviors', 'hostIntegration'])

const nameOf = (char: string): string => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
