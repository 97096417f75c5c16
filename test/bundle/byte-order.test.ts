import { expect, test } from 'vitest'
import { compareUtf8 } from '../../src/bundle/byte-order.ts'
import { fc } from '../helpers/property.ts'

test('texts sort as the bytes of their UTF-8 form do', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 500 },
  )
})

test('characters beyond U+FFFF come after those below', () => {
  expect(['\u{1f600}', '\uff5e', 'z', 'Z', '\u00e9', 'a/b', 'a.b', 'a'].toSorted(compareUtf8)).toEqual([
    'Z',
    'a',
    'a.b',
    'a/b',
    'z',
    '\u00e9',
    '\uff5e',
    '\u{1f600}',
  ])
})
