import { describe, expect, it } from 'vitest'
import { findHiddenInBytes, findHiddenText } from '../../../src/trust/hidden-text/find-hidden-text.ts'

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
    ['Urdu with its non-joiner', 'وہ پہلے‌سے وہاں تھے'],
    ['Pashto and Kurdish letters', 'پښتو ژبه، کوردی'],
    ['Arabic with a letter mark beside digits', 'العدد \u061c١٢٣ هنا'],
    ['Hebrew with points and a left-to-right mark', 'בְּרֵאשִׁית \u200e(Genesis)'],
    ['Bengali with a joiner', 'র‍্যাব'],
    ['Tamil', 'தமிழ் க்ஷ'],
    ['Telugu with a non-joiner', 'రాజ్‌కుమార్'],
    ['Kannada with a joiner', 'ಕ್‍ನ'],
    ['Gujarati and Gurmukhi', 'ગુજરાતી ਪੰਜਾਬੀ'],
    ['Marathi with a joiner', 'दऱ्‍या'],
    ['Thai and Khmer with zero-width spaces between words', 'ภาษา\u200bไทย ភាសា\u200bខ្មែរ'],
    ['emoji with hair, gender and a flag in the colours of the rainbow', '👩‍🦰 🤷🏽‍♀️ 🏳️‍🌈 🏴‍☠️ 👁️‍🗨️'],
    ['text and emoji forms of signs', '© ©️ ☎︎ ☎️ ™️ ↔️ #️⃣'],
    ['a mathematical sign in another form', '∩︀ ≨︀'],
    ['a byte order mark at the very start', '\ufeff# Title'],
  ])('passes %s', (_what, text) => {
    expect(findHiddenText(text)).toEqual([])
  })

  it.each([
    ['a right-to-left override', 'user\u202e)tnirp(', 'U+202E', 5],
    ['an isolate', 'a \u2066b', 'U+2066', 3],
    ['tag characters that spell a message', 'hi\u{e0069}\u{e0067}', 'U+E0069', 3],
    ['a run of variation selectors', '∩\ufe00\ufe02\ufe03', 'U+FE02', 3],
    ['supplementary variation selectors behind an emoji', '😀\u{e0141}\u{e0142}', 'U+E0141', 3],
    ['a zero-width space in a word', 'pass\u200bword', 'U+200B', 5],
    ['a joiner between Latin letters', 'pass\u200dword', 'U+200D', 5],
    ['a word joiner', 'a\u2060b', 'U+2060', 2],
    ['a Hangul filler as a name', 'const \u3164 = 1', 'U+3164', 7],
    ['a byte order mark inside', 'a\ufeffb', 'U+FEFF', 2],
    ['a left-to-right mark in plain Latin', 'a\u200eb', 'U+200E', 2],
    ['a soft hyphen', 'pay\u00adload', 'U+00AD', 4],
    ['one variation selector after each letter', 'p\ufe01a\ufe02y', 'U+FE01', 2],
    ['an emoji selector after a letter', 'a\ufe0fb', 'U+FE0F', 2],
    ['a deprecated format control', 'a\u206ab', 'U+206A', 2],
    ['a run of joiners in Persian', 'می\u200c\u200cخواهم', 'U+200C', 3],
    ['a letter mark in plain Latin', 'a\u061cb', 'U+061C', 2],
    ['a flag with a message behind it', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', 'U+E0041', 15],
  ])('finds %s', (_what, text, codePoint, column) => {
    expect(findHiddenText(text)[0]).toMatchObject({ codePoint, line: 1, column })
  })

  it('names the line and stops at the number asked for', () => {
    const found = findHiddenText('one\ntwo \u202e\r\nthree \u200b\u200b\u200b', 2)
    expect(found.map(({ line, column }) => [line, column])).toEqual([
      [2, 5],
      [3, 7],
    ])
  })

  it('looks into bytes that are no UTF-8 as a reader would', () => {
    expect(findHiddenInBytes(Buffer.concat([Buffer.of(0xff), Buffer.from('a\u202eb')]))).toMatchObject([
      { codePoint: 'U+202E', line: 1, column: 3 },
    ])
    expect(findHiddenInBytes(Buffer.from('plain'))).toEqual([])
  })

  it('does not cost the square of the length of a line', () => {
    expect(findHiddenText('\u05d0\u200f'.repeat(200_000))).toEqual([])
    expect(findHiddenText('a\u200e'.repeat(200_000))).toHaveLength(20)
  })
})
