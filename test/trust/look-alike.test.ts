import { describe, expect, it } from 'vitest'
import { findLookAlike } from '../../src/trust/look-alike.ts'

const KNOWN = ['ui', 'security', 'code-review', 'claude', 'intel', 'graphify']

describe('names that look alike', () => {
  it.each([
    ['securlty', 'security'],
    ['secur1ty', 'security'],
    ['codereview', 'code-review'],
    ['c1aude', 'claude'],
    ['claud-e', 'claude'],
    ['securty', 'security'],
    ['secuirty', 'security'],
    ['graphifyy', 'graphify'],
    ['ul', 'ui'],
    ['ui-pro', 'ui'],
    ['inte1', 'intel'],
  ])('mistakes %s for %s', (name, of) => {
    expect(findLookAlike(name, KNOWN)?.resembles).toBe(of)
  })

  it.each([['release-notes'], ['ux'], ['ci'], ['uid'], ['ui'], ['insight']])('accepts %s', (name) => {
    expect(findLookAlike(name, KNOWN)).toBeNull()
  })
})
