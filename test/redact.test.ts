import { describe, expect, it } from 'vitest'
import { cleanText, quote } from '../src/redact.ts'

describe('a text from outside', () => {
  it.each([
    ['https://me:pass@host/x?token=y#part', 'https://host/x?…#part'],
    ['postgres://me:p@ss@db/x', 'postgres://db/x'],
    ['see https://a/?k=1 and http://b#c?d', 'see https://a/?… and http://b#c?d'],
    ['ghp_0123456789abcdefghij', 'ghp_…'],
    ['ring \u0007 and \u202e', 'ring \\u0007 and \\u202e'],
  ])('%j is shown without its secrets', (text, shown) => {
    expect(cleanText(text)).toBe(shown)
  })

  it.each(['a-', 'https://', 'a://b@', 'https://x?', 'sk-a'])(
    'of a million characters of %j is cleaned in linear time',
    (part) => {
      expect(cleanText(part.repeat(2 ** 20 / part.length)).length).toBeLessThanOrEqual(2 ** 20)
    },
  )
})

describe('a quoted value', () => {
  it('is cleaned before it is truncated, so that no part of a password is left', () => {
    expect(quote(`${'-'.repeat(100)} https://me:password-of-many-characters@host/`)).not.toContain('pass')
  })

  it('is never truncated within a character', () => {
    expect(quote('😀'.repeat(100))).toMatch(/^"(?:😀)+…$/u)
  })
})
