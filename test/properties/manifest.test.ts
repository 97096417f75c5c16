import { describe, expect, it } from 'vitest'
import { readValid } from '../../scripts/fault-cases.ts'
import type { Diagnostic } from '../../src/diagnostic.ts'
import { checkManifest, validateCapability } from '../../src/manifest/check-manifest.ts'
import { decodeUtf8 } from '../../src/manifest/json/decode-utf8.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'
import { fc } from '../helpers/property.ts'

const VALID = ['feature', 'feature-small', 'runtime', 'reviewer', 'reviewer-http'].map(
  (name) => JSON.parse(readValid(name)) as Record<string, unknown>,
)

const wellFormed = (diagnostics: readonly Diagnostic[]): void => {
  for (const { code, severity, message, path } of diagnostics) {
    expect(code).toMatch(/^MANIFEST_[A-Z_]+$/)
    expect(['error', 'warning']).toContain(severity)
    expect(message).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/)
    expect(path).toMatch(/^(?:\/|$)/)
  }
}

/** Every position in a value, as a path. */
const paths = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, member]) => paths(member, [...path, key]))]
    : [path]

const changed = (root: unknown, path: readonly (string | number)[], value: unknown): unknown => {
  if (path.length === 0) return value
  const copy = structuredClone(root)
  let parent = copy as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>
  const last = path.at(-1) ?? ''
  if (value === undefined) delete parent[last]
  else Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true })
  return copy
}

const mutation = fc
  .constantFrom(...VALID)
  .chain((manifest) => fc.record({ manifest: fc.constant(manifest), path: fc.constantFrom(...paths(manifest)) }))

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom<unknown>(undefined, null, '', 'x', 0, -0, NaN, Infinity, [], {}, [[]], '__proto__', 'constructor'),
)

describe('the validator', () => {
  it('answers any value, and never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
        (value) => {
          const found = validateCapability(value)
          wellFormed(found)
          expect(found.some(({ severity }) => severity === 'error')).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('answers any change of a valid manifest, and never throws', () => {
    fc.assert(
      fc.property(mutation, anyValue, ({ manifest, path }, value) => {
        wellFormed(validateCapability(changed(manifest, path, value)))
      }),
      { numRuns: 1500 },
    )
  })

  it('gives the same result for a text as for its value, apart from the positions', () => {
    fc.assert(
      fc.property(mutation, fc.jsonValue({ maxDepth: 2 }), fc.nat(3), ({ manifest, path }, value, indent) => {
        const mutant = changed(manifest, path, value)
        const text = JSON.stringify(mutant, null, indent)
        const read = parseManifest(new TextEncoder().encode(text), { file: 'f' })
        const { diagnostics } = checkManifest(read)
        const bare = (list: readonly Diagnostic[]) =>
          list.map(({ code, path, message }) => `${path} ${code} ${message}`).toSorted()
        expect(bare(diagnostics)).toEqual(bare(validateCapability(JSON.parse(text))))
        for (const { line, column } of diagnostics) {
          const start = text.split('\n')[(line ?? 0) - 1]?.[(column ?? 0) - 1]
          expect(start).toMatch(/["{[tfn0-9-]/)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('answers any bytes, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        wellFormed(checkManifest(parseManifest(bytes, { file: 'f' })).diagnostics)
      }),
      { numRuns: 500 },
    )
  })

  it('answers any text with one character changed, and never throws', () => {
    const text = readValid('feature')
    fc.assert(
      fc.property(fc.nat(text.length), fc.string({ unit: 'binary', maxLength: 2 }), (at, scrap) => {
        const broken = text.slice(0, at) + scrap + text.slice(at + 1)
        wellFormed(checkManifest(parseManifest(new TextEncoder().encode(broken), { file: 'f' })).diagnostics)
      }),
      { numRuns: 500 },
    )
  })
})

describe('decoding', () => {
  it('stops exactly where a strict decoder must', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => new TextEncoder().encode(text)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const bytes = Uint8Array.from(pieces.flatMap((part) => [...part]))
        const { text, hasBom, error } = decodeUtf8(bytes)
        const kept = new TextEncoder().encode((hasBom ? '\ufeff' : '') + text)
        expect([...bytes.subarray(0, kept.length)]).toEqual([...kept])
        expect(error === null).toBe(kept.length === bytes.length)
      }),
      { numRuns: 1000 },
    )
  })
})
