import { describe, expect, it } from 'vitest'
import { suggest } from '../../src/cli/suggest.ts'

const VERBS = ['install', 'remove', 'list', 'info', 'validate', 'pack']

describe('a suggestion', () => {
  it.each([
    ['instal', 'install'],
    ['isntall', 'install'],
    ['inst', 'install'],
    ['uninstall', 'remove'],
    ['rm', 'remove'],
    ['LS', 'list'],
    ['add', 'install'],
    ['validates', 'validate'],
    ['show', 'info'],
  ])('for %s is %s', (typed, meant) => {
    expect(suggest(typed, VERBS)).toBe(meant)
  })

  it('is not made when nothing is near, or two share a prefix', () => {
    expect(suggest('xyzzy', VERBS)).toBe(null)
    expect(suggest('in', VERBS)).toBe(null)
    expect(suggest('x'.repeat(100_000), VERBS)).toBe(null)
    expect(suggest('', VERBS)).toBe(null)
  })

  it('contains only words that exist', () => {
    expect(suggest('uninstall', ['list'])).toBe(null)
  })
})
