import fc from 'fast-check'
import validRange from 'semver/ranges/valid.js'
import { expect, it } from 'vitest'
import { isRange } from '../src/version-range.ts'

const number = fc.constantFrom('0', '1', '12', '999999999999999', '01', '12345678901234567890')
const comparator = fc
  .tuple(fc.constantFrom('', '<', '>', '<=', '>=', '^', '~', '=', '=>'), fc.tuple(number, number, number))
  .map(([operator, numbers]) => operator + numbers.join('.'))

it('a text is a range exactly if semver reads it as one', () => {
  fc.assert(
    fc.property(
      fc.array(comparator, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(' ', '  ', ''),
      (parts, space) => {
        const text = parts.join(space)
        expect([text, isRange(text)]).toEqual([text, validRange(text) !== null])
      },
    ),
    { numRuns: 3000 },
  )
})

it.each(['', ' ', 'latest', '1.2.3.4', '1.2.3 '.repeat(43)])('%j is not a range', (text) =>
  expect(isRange(text)).toBe(false),
)
