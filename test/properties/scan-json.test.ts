import { describe, expect, it } from 'vitest'
import { scanJson } from '../../src/manifest/json/scan-json.ts'
import { fc } from '../helpers/property.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '\\',
  '\\u00',
  '0',
  '01',
  '-',
  '1e5',
  '.',
  'true',
  'nul',
  ' ',
  '\n',
  '\t',
  '//',
  "'",
  '\u0000',
  '\ud800',
]

describe('the scanner', () => {
  it('accepts exactly the texts that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }), (scraps) => {
        const text = scraps.join('')
        expect([text, scanJson(text, 64).error === null]).toEqual([text, parses(text)])
      }),
      { numRuns: 3000 },
    )
  })

  it('accepts every JSON text, however it is indented, and rejects it when JSON.parse rejects it after one character changed', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...TOKENS), fc.nat(4), (json, at, scrap, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        expect(scanJson(text, 64).error).toBeNull()
        const position = at % (text.length + 1)
        const changed = text.slice(0, position) + scrap + text.slice(position + 1)
        expect([changed, scanJson(changed, 64).error === null]).toEqual([changed, parses(changed)])
      }),
      { numRuns: 500 },
    )
  })

  it('knows the position of each value: the text there parses as that value', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(2), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const text = JSON.stringify(value, null, indent)
        const { offsets } = scanJson(text, 64)
        for (const [pointer, spot] of offsets) {
          const at = valueAt(value, pointer)
          const written = JSON.stringify(at)
          const found = text.slice(spot.value)
          expect(typeof at === 'object' ? found[0] : found.slice(0, written.length)).toBe(
            typeof at === 'object' ? written[0] : written,
          )
        }
      }),
      { numRuns: 300 },
    )
  })

  it('reports where it stops, inside the text or at its end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { error } = scanJson(text, 64)
        if (error === null) return
        expect(error.offset).toBeGreaterThanOrEqual(0)
        expect(error.offset).toBeLessThanOrEqual(text.length)
        expect(error.message).not.toBe('')
        expect(error.hint).not.toBe('')
      }),
    )
  })
})

const valueAt = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root)
