import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import emoji from 'unicode-emoji-json/data-by-emoji.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { findHiddenText, scanText } from '../../../src/trust/hidden-text/find-hidden-text.ts'

/** Messages in some fifty languages. */
const LOCALES = join(dirname(createRequire(import.meta.url).resolve('zod/v4')), 'locales')

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
  ])('accepts %s', (_what, text) => {
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

  it('names the line and stops at the requested count', () => {
    const found = findHiddenText('one\ntwo \u202e\r\nthree \u200b\u200b\u200b', 2)
    expect(found.map(({ line, column }) => [line, column])).toEqual([
      [2, 5],
      [3, 7],
    ])
  })

  it.each([
    ['a run of Hangul fillers', 'x\u115f\u1160\u115f\u1160y'],
    ['a Hangul filler behind a syllable', '한\u115f'],
    ['halfwidth fillers', 'a\uffa0\u3164'],
    ['specials that no character has', 'a\ufff0\ufff8'],
    ['Khmer inherent vowels behind one letter', 'ក\u17b4\u17b5\u17b4'],
    ['one Khmer inherent vowel behind a letter', 'ក\u17b4'],
    ['a run of Mongolian selectors behind one letter', '\u1820\u180b\u180c\u180b'],
    ['a Mongolian selector behind a Latin letter', 'a\u180b'],
    ['direction marks between Latin letters near one Hebrew letter', 'א a\u200eb\u200ec'],
    ['a run of direction marks behind a Hebrew letter', 'א\u200e\u200f\u200e'],
    ['tag characters behind a black flag that are no flag', '🏴\u{e0061}\u{e0062}\u{e0063}\u{e0064}\u{e0065}\u{e007f}'],
    ['tag characters of a country that has no flag of its parts', '🏴\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a next line control', 'a\u0085b'],
    ['a control sequence introducer', 'a\u009b8mb'],
    ['an escape sequence that hides text', 'a\u001b[8mb\u001b[0m'],
    ['backspaces', 'rm -rf\b\b\b\b\b\b'],
    ['a bell, a vertical tab and a form feed', '\u0007\u000b\u000c'],
    ['a delete', 'a\u007f'],
    ['a NUL', 'a\u0000b'],
    ['a carriage return that overwrites a line', 'evil\rgood'],
    ['a private-use character', 'a\ue000'],
    ['a supplementary private-use character', 'a\u{10ffff}'.replace('\u{10ffff}', '\u{100000}')],
    ['a noncharacter', 'a\ufdd0'],
    ['the last code point of a plane', 'a\uffff'],
    ['a combining grapheme joiner', 'a\u034fb'],
    ['a zero-width space between a Thai and a Latin letter', 'ภ\u200bx'],
    ['two zero-width spaces in Thai', 'ภาษา\u200b\u200bไทย'],
    ['two variation selectors behind a Han letter', '葛\u{e0100}\u{e0101}'],
    ['a joiner behind an emoji that joins nothing', '😀\u200d'],
    ['an emoji selector that repeats', '☺\ufe0f\ufe0f'],
    ['a shorthand format control', 'a\u{1bca0}'],
    ['a musical format control', 'a\u{1d173}'],
    ['an Egyptian format control', 'a\u{13430}'],
    ['a language tag', 'a\u{e0001}'],
    ['a filler vouched for by a filler', '한\u3164\u115f'],
    ['a reserved default-ignorable', 'a\u{e0fff}'],
    ['an interlinear annotation', 'a\ufff9b\ufffac\ufffb'],
    ['a soft hyphen between a letter and a space', 'pay\u00ad load'],
    ['more than one soft hyphen in a hundred letters', `${'a'.repeat(150)}\u00ad${'b'.repeat(48)}\u00adc`],
  ])('finds %s', (_what, text) => {
    expect(findHiddenText(text)).not.toEqual([])
  })

  it.each([
    ['a soft hyphen in a long word', `${'Donaudampfschifffahrt'.repeat(6)}s\u00adgesellschaft`],
    ['the sign of Arabic years and numbers', '\u0601 ٢٠٢٦ \u06dd١'],
    ['Mongolian with a selector and a vowel separator', 'ᠮᠣᠩᠭᠣᠯ\u180e\u1820 \u1820\u180b'],
    ['Windows line ends and tabs', 'one\r\n\ttwo\r\n'],
    ['emoji without the selector that editors leave out', '❤\u200d🔥 👁\u200d🗨 🏳\u200d🌈'],
    ['a full-width comma in its centred form', '、\ufe00'],
    ['a slashed zero', '0\ufe00'],
    ['Braille with an empty cell in a word', '⠓⠑\u2800⠇⠇⠕'],
  ])('accepts %s', (_what, text) => {
    expect(findHiddenText(text)).toEqual([])
  })

  it('accepts every emoji, alone and in a row', () => {
    const all = Object.keys(emoji)
    expect(all.length).toBeGreaterThan(1500)
    expect(all.filter((one) => findHiddenText(one).length > 0)).toEqual([])
    expect(findHiddenText(all.join(''))).toEqual([])
  })

  it('accepts the texts of more than forty languages', () => {
    const files = readdirSync(LOCALES).filter((name) => /^[a-z]{2,3}(-[A-Z]{2})?\.js$/.test(name))
    expect(files.length).toBeGreaterThan(40)
    const found = files.flatMap((name) =>
      findHiddenText(readFileSync(join(LOCALES, name), 'utf8')).map(({ line, codePoint }) => ({
        name,
        line,
        codePoint,
      })),
    )
    expect(found).toEqual([])
  })

  it('accepts a byte order mark only at the start of a text, not of a piece', () => {
    expect(scanText('\ufeffa').hidden).toEqual([])
    expect(scanText('\ufeffa', { isStart: false }).hidden).toMatchObject([{ codePoint: 'U+FEFF', line: 1, column: 1 }])
  })

  it('finds every character that has one of the properties, between two letters', () => {
    const suspect = new RegExp(
      String.raw`[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]--[\t\n\u00ad]]`,
      'v',
    )
    const visible = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u
    const undetected: string[] = []
    for (let code = 0; code <= 0x10ffff; code += code === 0xf0000 ? 0xfffe : 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const char = String.fromCodePoint(code)
      if (suspect.test(char) && !visible.test(char) && findHiddenText(`a${char}b`).length === 0)
        undetected.push(code.toString(16))
    }
    expect(undetected).toEqual([])
  })

  it('takes linear time in the length of a line', () => {
    expect(findHiddenText('\u05d0\u200f'.repeat(200_000))).toEqual([])
    expect(findHiddenText('a\u200e'.repeat(200_000))).toHaveLength(20)
  })
})
