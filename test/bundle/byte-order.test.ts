import { expect, test } from 'vitest'
import { compareUtf8 } from '../../src/bundle/byte-order.ts'
import { fc } from '../helpers/property.ts'

test('texts sort in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 500 },
  )
})

test('characters above U+FFFF sort after those below', () => {
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
