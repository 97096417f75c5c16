import { expect, test } from 'vitest'
import { foldName } from '../../src/bundle/path-rules.ts'

test.each([
  ['README', 'readme'],
  ['stra\u00dfe', 'STRASSE'],
  ['\u1e9e', 'ss'],
  ['\u03c3', '\u03c2'],
  ['\u212a', 'k'],
  ['\u017f', 's'],
  ['\ufb01le', 'FILE'],
  ['\u00e9', 'E\u0301'],
  ['\u1fb3', '\u03b1\u0345'],
  ['\u0390', '\u1fd3'],
  ['\u01c5', '\u01c6'],
  ['\uac00', '\u1100\u1161'],
])('%j and %j are the same name', (a, b) => {
  expect(foldName(a)).toBe(foldName(b))
})

test.each([
  ['a', 'b'],
  ['e', '\u00e9'],
  ['o', '\u00f8'],
  ['a', '\u0430'],
  ['\u1100', '\u1101'],
  ['1', '\u0661'],
])('%j and %j are different names', (a, b) => {
  expect(foldName(a)).not.toBe(foldName(b))
})

test('every two characters that Unicode case-folds together have one key', () => {
  const cased: string[] = []
  for (let code = 0x80; code <= 0x1_ffff; code++) {
    const character = String.fromCodePoint(code)
    if (/\p{Changes_When_Casefolded}|\p{Changes_When_Casemapped}/u.test(character)) cased.push(character)
  }
  const all = cased.join('')
  expect(cased.length).toBeGreaterThan(2000)
  for (const character of cased) {
    const key = foldName(character)
    // The regular expression engine contains the table of simple case folding.
    for (const twin of all.match(new RegExp(character, 'giu')) ?? []) {
      expect(foldName(twin), `${character} and ${twin}`).toBe(key)
    }
  }
})

test('folding twice equals folding once', () => {
  for (let code = 0; code <= 0xffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const once = foldName(String.fromCharCode(code))
    if (foldName(once) !== once) expect.fail(`U+${code.toString(16)} folds to ${once} and then to ${foldName(once)}`)
  }
})
