import type { Findings } from './findings.ts'
import { MAX_DEPTH } from './json/read-json.ts'

/**
 * The JSON in any value: own enumerable members only, getters called once, undefined members omitted as JSON would.
 * Whatever is not JSON (functions, bigints, dates, proxies that throw) is reported and becomes null. Cycles end at the
 * depth limit.
 */
export const copyAsJson = (value: unknown, findings: Findings): unknown => new Copier(findings).copy(value)

/** More values than a manifest of 1 MiB can contain; objects that share members could otherwise multiply without end. */
const MAX_VALUES = 600_000

class Copier {
  readonly #findings: Findings
  #values = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  copy(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return this.#container(value)
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || value === null)
      return value
    return this.#refuse(value === undefined ? 'is undefined' : `is a ${typeof value}`)
  }

  #container(value: object): unknown {
    try {
      // One level more than allowed is copied, so that the depth check finds it.
      if (this.#findings.depth > MAX_DEPTH) return null
      if (Array.isArray(value)) return this.#array(value)
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return this.#refuse('is not a plain object')
      return this.#object(value as Record<string, unknown>)
    } catch {
      return this.#refuse('cannot be read')
    }
  }

  #array(list: readonly unknown[]): unknown {
    const copy: unknown[] = []
    const length = list.length
    for (let index = 0; index < length; index++) {
      if (this.#values++ > MAX_VALUES) return this.#tooMany(copy)
      copy.push(this.#member(list as unknown as Record<string, unknown>, index))
    }
    return copy
  }

  #object(value: Record<string, unknown>): unknown {
    const copy = Object.create(null) as Record<string, unknown>
    for (const key of Object.keys(value)) {
      if (this.#values++ > MAX_VALUES) return this.#tooMany(copy)
      const member = this.#member(value, key)
      if (member !== undefined) copy[key] = member
    }
    return copy
  }

  #member(parent: Record<string, unknown>, key: string | number): unknown {
    this.#findings.enter(key)
    try {
      const member = parent[key]
      return member === undefined && typeof key === 'string' ? undefined : this.copy(member)
    } catch {
      return this.#refuse('cannot be read')
    } finally {
      this.#findings.leave()
    }
  }

  #tooMany<T>(copy: T): T {
    if (this.#values === MAX_VALUES + 2) this.#refuse('has more values than a manifest can')
    return copy
  }

  #refuse(detail: string): null {
    this.#findings.reportValue('MANIFEST_NOT_JSON', null, { detail })
    return null
  }
}
