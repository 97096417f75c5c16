import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256OfShortText } from '../../src/platform/sha256.ts'

const expected = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('sha256OfShortText', () => {
  it('hashes texts of every length around the size of a block as node:crypto does', () => {
    for (let length = 0; length <= 200; length++) {
      const text = 'é'.repeat(length % 3) + 'x'.repeat(length)
      expect(sha256OfShortText(text)).toBe(expected(text))
    }
  })

  it('hashes any text as node:crypto does, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(sha256OfShortText(text)).toBe(expected(text))
      }),
      { seed: 19, numRuns: 500 },
    )
    expect(sha256OfShortText('/home/\ud800')).toBe(expected('/home/\ud800'))
  })
})
