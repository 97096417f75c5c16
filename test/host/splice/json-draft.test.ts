import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../src/host/splice/json-document.ts'
import { applyStep, type JsonDraft } from '../../../src/host/splice/json-draft.ts'
import { applyPatches, positionOf, revertPatches } from '../../../src/host/splice/text-patch.ts'
import { codeOf } from '../../helpers/thrown.ts'

const draft = (text: string): JsonDraft => ({ document: parseDocument(text, 'x'), patches: [], containers: [] })

describe('a step of an edit', () => {
  it('is refused when the resulting text has another value than expected', () => {
    const from = draft('{"a": 1, "b": 1e2}')
    const steps = [
      { offset: 6, remove: '1', insert: '2' },
      { offset: 14, remove: '1e2', insert: '100' },
      { offset: 1, remove: '"a": 1, ', insert: '' },
      { offset: 1, remove: '', insert: '"a": 1, ' },
      { offset: 2, remove: 'x', insert: '' },
    ]
    for (const patch of steps) expect(codeOf(() => applyStep(from, [patch]))).toBe('INTERNAL_ERROR')
    expect(applyStep(from, [{ offset: 1, remove: '', insert: '/* c */' }]).document.text).toBe(
      '{/* c */"a": 1, "b": 1e2}',
    )
  })
})

describe('patches', () => {
  const patches = [
    { offset: 3, remove: '', insert: 'xyz' },
    { offset: 4, remove: 'yz', insert: '' },
  ]

  it('apply one after the other, and revert in reverse order', () => {
    expect(applyPatches('abc', patches)).toBe('abcx')
    expect(revertPatches('abcx', patches)).toBe('abc')
  })

  it('apply only to the text they were made for', () => {
    expect(applyPatches('ab', [{ offset: 0, remove: 'b', insert: '' }])).toBeNull()
    expect(revertPatches('abc', patches)).toBeNull()
  })
})

describe('a position', () => {
  it.each([
    ['ab\ncd', 4, 2, 2],
    ['ab\r\ncd', 4, 2, 1],
    ['ab\rcd', 3, 2, 1],
    ['\uFEFFab', 2, 1, 2],
    ['\uFEFFab', 0, 1, 1],
    ['\n\n', 2, 3, 1],
  ])('in %j at %d is line %d, column %d', (text, offset, line, column) => {
    expect(positionOf(text, offset)).toEqual({ line, column })
  })
})
