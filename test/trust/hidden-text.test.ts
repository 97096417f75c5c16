import { describe, expect, it } from 'vitest'
import { hiddenInBytes, hiddenText } from '../../src/trust/hidden-text.ts'

describe('hidden text', () => {
  it.each([
    ['a family of joined emoji', 'a family 👨‍👩‍👧‍👦 and a heart ❤️‍🔥'],
    ['an emoji with a skin tone and a joiner', '👩🏽‍💻 writes'],
    ['a flag of a part of a country', 'flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 here'],
    ['flags of countries', '🇩🇪 🇫🇷'],
    ['a keycap', 'press 1️⃣'],
    ['Arabic', 'مرحبا بالعالم'],
    ['Persian with its non-joiner', 'می‌خواهم کتاب‌ها را بخوانم'],
    ['Hebrew with a mark of direction', 'שלום (hello)‏ עולם'],
    ['Hindi with joiners', 'क्‍ष और श्‍रीमान्'],
    ['Malayalam with a joiner', 'ന്‍'],
    ['Sinhala with a joiner', 'ශ්‍රී ලංකා'],
    ['Chinese with a selector for one form of a letter', '葛󠄀城'],
    ['Korean', '안녕하세요'],
    ['a byte order mark at the very start', '\ufeff# Title'],
  ])('passes %s', (_what, text) => {
    expect(hiddenText(text)).toEqual([])
  })

  it.each([
    ['a right-to-left override', 'user\u202e)tnirp(', 'U+202E', 5],
    ['an isolate', 'a \u2066b', 'U+2066', 3],
    ['tag characters that spell a message', 'hi\u{e0069}\u{e0067}', 'U+E0069', 3],
    ['a run of variation selectors', 'x\ufe01\ufe02\ufe03', 'U+FE02', 3],
    ['supplementary variation selectors behind an emoji', '😀\u{e0141}\u{e0142}', 'U+E0141', 3],
    ['a zero-width space in a word', 'pass\u200bword', 'U+200B', 5],
    ['a joiner between Latin letters', 'pass\u200dword', 'U+200D', 5],
    ['a word joiner', 'a\u2060b', 'U+2060', 2],
    ['a Hangul filler as a name', 'const \u3164 = 1', 'U+3164', 7],
    ['a byte order mark inside', 'a\ufeffb', 'U+FEFF', 2],
    ['a left-to-right mark in plain Latin', 'a\u200eb', 'U+200E', 2],
    ['a soft hyphen', 'pay\u00adload', 'U+00AD', 4],
    ['a flag with a message behind it', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', 'U+E0041', 15],
  ])('finds %s', (_what, text, codePoint, column) => {
    expect(hiddenText(text)[0]).toMatchObject({ codePoint, line: 1, column })
  })

  it('names the line and stops at the number asked for', () => {
    const found = hiddenText('one\ntwo \u202e\r\nthree \u200b\u200b\u200b', 2)
    expect(found.map(({ line, column }) => [line, column])).toEqual([
      [2, 5],
      [3, 7],
    ])
  })

  it('looks for nothing in bytes that are no text', () => {
    expect(hiddenInBytes(Uint8Array.of(0x80, 0xff, 0xfe))).toBeNull()
    expect(hiddenInBytes(Buffer.from('plain'))).toEqual([])
  })
})
