import { expect, test } from 'vitest'
import { abbreviateFindings } from '../src/abbreviate.ts'
import { diagnostic } from '../src/diagnostic.ts'

const findings = (count: number, code: 'OVERLAY_NO_MANIFEST' | 'STATE_DRIFT' = 'OVERLAY_NO_MANIFEST') =>
  Array.from({ length: count }, (_, index) => diagnostic('warning', code, `${code} ${index}`, { id: `c-${index}` }))

test('100,000 findings of one kind become fifty and a count of the others', () => {
  const shown = abbreviateFindings(findings(100_000))
  expect(shown).toHaveLength(51)
  expect(shown[49]).toMatchObject({ id: 'c-49' })
  expect(shown[50]).toMatchObject({ code: 'OVERLAY_NO_MANIFEST', message: 'and 99,950 more of this kind' })
  expect(shown[50]).not.toHaveProperty('id')
})

test('a list that was shortened before stays as it is', () => {
  const shown = abbreviateFindings(findings(100_000))
  expect(abbreviateFindings(shown)).toEqual(shown)
})

test('fifty of a kind, and other kinds beside many, stay as they are', () => {
  expect(abbreviateFindings(findings(50))).toEqual(findings(50))
  const mixed = abbreviateFindings([...findings(70), ...findings(3, 'STATE_DRIFT')])
  expect(mixed.filter(({ code }) => code === 'STATE_DRIFT')).toEqual(findings(3, 'STATE_DRIFT'))
})
