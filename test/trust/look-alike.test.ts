import { describe, expect, it } from 'vitest'
import { lookAlike } from '../../src/trust/look-alike.ts'

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
  ])('takes %s for %s', (name, of) => {
    expect(lookAlike(name, KNOWN)?.of).toBe(of)
  })

  it.each([['release-notes'], ['ux'], ['ci'], ['uid'], ['ui'], ['insight']])('lets %s be', (name) => {
    expect(lookAlike(name, KNOWN)).toBeNull()
  })
})
