import { describe, expect, it } from 'vitest'
import { checkManifest } from '../../src/manifest/check-manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (input: string | Uint8Array) =>
  parseManifest(typeof input === 'string' ? encode(input) : input, { file: 'caps/x/capability.json' })
const only = (input: string | Uint8Array) => {
  const { diagnostics } = read(input)
  expect(diagnostics).toHaveLength(1)
  return diagnostics[0]
}

describe('text that is not JSON', () => {
  it.each([
    ['an empty file', '', 1, 1, /the file is empty/],
    ['blanks only', ' \n\t\n', 3, 1, /the file is empty/],
    ['a trailing comma in an object', '{\n  "a": 1,\n}', 2, 9, /comma before the closing bracket/],
    ['a trailing comma in an array', '{ "a": [1, 2, ] }', 1, 13, /comma before the closing bracket/],
    ['a line comment', '{\n  // note\n  "a": 1\n}', 2, 3, /no comments/],
    ['a block comment after a value', '{ "a": 1 /* note */ }', 1, 10, /no comments/],
    ['a comment of a shell', '{ "a": 1,\n# note\n"b": 2 }', 2, 1, /no comments/],
    ['a key in single quotes', "{ 'a': 1 }", 1, 3, /wrong quotes/],
    ['a value in single quotes', `{ "a": 'b' }`, 1, 8, /wrong quotes/],
    ['typographic quotes', '{ “a”: 1 }', 1, 3, /typographic quote/],
    ['a key without quotes', '{ id: 1 }', 1, 3, /the key id has no quotes/],
    ['a value without quotes', '{ "tier": core }', 1, 11, /the word core has no quotes/],
    ['undefined', '{ "a": undefined }', 1, 8, /undefined is not a JSON value/],
    ['NaN', '[NaN]', 1, 2, /NaN is not a JSON value/],
    ['True', '[True]', 1, 2, /True is not a JSON value/],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 3, 3, /a comma or } is missing here, before "\\""/],
    ['a missing comma in an array', '[1 2]', 1, 4, /a comma or \] is missing here, before 2/],
    ['a missing colon', '{ "a" 1 }', 1, 7, /a colon is missing after the key/],
    ['two commas', '[1,,2]', 1, 4, /a value is missing here/],
    ['a comma first', '{ , "a": 1 }', 1, 3, /a key in double quotes is missing here/],
    ['a missing brace', '{ "a": { "b": 1 }', 1, 18, /the text ends too early/],
    ['a missing value at the end', '{ "a":', 1, 7, /the text ends too early/],
    ['the wrong bracket', '{ "a": [1 }', 1, 11, /a comma or \] is missing here/],
    ['a string without its end', '{ "a": "b\n}', 1, 8, /no closing quote on its line/],
    ['a string without its end at the end', '{ "a": "b', 1, 8, /no closing quote on its line/],
    ['a raw tab in a string', '{ "a": "x\ty" }', 1, 10, /raw control character \\t/],
    ['a raw escape character in a string', '{ "a": "x\u001by" }', 1, 10, /raw control character \\u001b/],
    ['an unknown escape', '{ "a": "C:\\dir" }', 1, 11, /does not start an escape/],
    ['half an escape', '{ "a": "\\u12" }', 1, 9, /does not start an escape/],
    ['a leading zero', '{ "a": 01 }', 1, 9, /does not allow numbers written like/],
    ['a plus sign', '{ "a": +1 }', 1, 8, /does not allow numbers written like/],
    ['a point without a digit', '{ "a": 1. }', 1, 9, /does not allow numbers written like/],
    ['something after the end', '{ "a": 1 }\n{}', 2, 1, /something after the end/],
    ['a word after the end', '{} yes', 1, 4, /something after the end of the value: yes/],
    ['a non-breaking space', '{ "a":\u00a01 }', 1, 7, /a value is missing here, before "." \(U\+00A0\)/],
    ['a page of HTML', '<!DOCTYPE html>', 1, 1, /a value is missing here, before "<"/],
    ['YAML', 'id: x\nrole: feature\n', 1, 1, /the word id has no quotes/],
  ])('names %s and its position, in plain words', (_, text, line, column, words) => {
    expect(only(text)).toMatchObject({
      code: 'MANIFEST_SYNTAX',
      severity: 'error',
      file: 'caps/x/capability.json',
      line,
      column,
      path: '',
      message: expect.stringMatching(words),
      hint: expect.stringMatching(/./),
    })
    expect(read(text).value).toBeUndefined()
    expect(checkManifest(read(text))).toEqual({ manifest: null, diagnostics: read(text).diagnostics })
  })
})

describe('bytes', () => {
  it('that are not UTF-8 are refused at the first bad byte', () => {
    const bytes = Uint8Array.of(...encode('{\r\n  "é": "'), 0xe9, ...encode('" }'))
    expect(only(bytes)).toMatchObject({ code: 'MANIFEST_ENCODING', line: 2, column: 9 })
    expect(only(bytes)?.message).toContain('byte 12 (0xe9)')
  })

  it.each([
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point above the last', [0xf4, 0x90, 0x80, 0x80]],
    ['a lone continuation', [0x80]],
    ['a character cut short', [0xe2, 0x82]],
  ])('with %s are refused', (_, bad) => {
    const bytes = Uint8Array.of(...encode('{"a":"'), ...bad)
    expect(only(bytes)).toMatchObject({ code: 'MANIFEST_ENCODING', line: 1, column: 7 })
  })

  it('in UTF-16 are reported as such', () => {
    expect(only(Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0))?.message).toContain('looks like UTF-16')
  })

  it('with a byte order mark are read, with a warning, and columns do not count it', () => {
    const { diagnostics, value, locate } = read('\ufeff{ "a": 1 }')
    expect(diagnostics).toMatchObject([{ code: 'MANIFEST_BOM', severity: 'warning', line: 1, column: 1 }])
    expect(value).toEqual({ a: 1 })
    expect(locate('/a', 'key')).toEqual({ line: 1, column: 3 })
  })

  it('with two byte order marks are refused, because only one is dropped', () => {
    expect(read('\ufeff\ufeff{}').diagnostics.map(({ code }) => code)).toEqual(['MANIFEST_BOM', 'MANIFEST_SYNTAX'])
  })

  it('up to 1 MiB are read, and not one more', () => {
    const largest = `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`
    expect(read(largest).diagnostics).toEqual([])
    expect(only(`${largest} `)).toMatchObject({ code: 'MANIFEST_TOO_LARGE', line: 1, column: 1 })
  })
})

describe('nesting', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

  it('of 64 levels is read', () => {
    expect(read(nested(64)).diagnostics).toEqual([])
    expect(read(`${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`).diagnostics).toEqual([])
  })

  it('of 65 levels is refused at the first excess level', () => {
    expect(only(nested(65))).toMatchObject({ code: 'MANIFEST_TOO_DEEP', line: 1, column: 65, path: '/0'.repeat(64) })
  })

  it.each([10_000, 500_000])('of %i levels is refused with one error, whatever it contains', (levels) => {
    expect(only(nested(levels))).toMatchObject({ code: 'MANIFEST_TOO_DEEP' })
    expect(only('['.repeat(levels))).toMatchObject({ code: 'MANIFEST_SYNTAX' })
    const inside = `{ "id": "x", "requires": ${nested(levels)} }`
    expect(checkManifest(read(inside)).diagnostics.map(({ code }) => code)).toContain('MANIFEST_TOO_DEEP')
  })
})

describe('repeated keys', () => {
  it('are found however they are escaped and spaced, and nothing else is reported as one', () => {
    const text = '{ "a\\"" : 1, "b:": "\\":", "\\u0061\\"": 2, "c": [{ "x": 1 }, { "x": 1 }] }'
    expect(only(text)).toMatchObject({ code: 'MANIFEST_DUPLICATE_KEY', path: '/a"', line: 1, column: 27 })
  })

  it('are each reported where they repeat', () => {
    const { diagnostics } = read('{ "a": 1,\n"a": 2,\n  "a": 3 }')
    expect(diagnostics.map(({ line, column }) => [line, column])).toEqual([
      [2, 1],
      [3, 3],
    ])
  })

  it('are not confused by strings that resemble keys', () => {
    // A blank before the colon of each key, a quote and a colon in each string: a simple count would come out even.
    expect(only('{ "a" : "\\":", "a" : 1 }')).toMatchObject({ code: 'MANIFEST_DUPLICATE_KEY' })
    expect(only('{ "a" : "x", "a"\n\t: "y" }')).toMatchObject({ code: 'MANIFEST_DUPLICATE_KEY' })
  })
})

describe('positions', () => {
  it('count LF, CR and CRLF as one line end each, and columns in UTF-16 units', () => {
    const { locate } = read('{\r\n"a": 1,\r"b": 2,\n\r\n  "😀": { "c": [true] } }')
    expect(locate('', 'value')).toEqual({ line: 1, column: 1 })
    expect(locate('/a', 'key')).toEqual({ line: 2, column: 1 })
    expect(locate('/b', 'value')).toEqual({ line: 3, column: 6 })
    expect(locate('/😀', 'value')).toEqual({ line: 5, column: 9 })
    expect(locate('/😀/c/0', 'value')).toEqual({ line: 5, column: 17 })
  })

  it('of members whose names contain slashes and tildes are found by escaped pointers', () => {
    const { locate } = read('{ "a/b~c": { "": 1 } }')
    expect(locate('/a~1b~0c', 'key')).toEqual({ line: 1, column: 3 })
    expect(locate('/a~1b~0c/', 'value')).toEqual({ line: 1, column: 18 })
  })

  it('of missing members are those of the nearest enclosing member', () => {
    expect(read('\n{ "a": 1 }').locate('/b', 'value')).toEqual({ line: 2, column: 1 })
    expect(read('\n{ "a": {} }').locate('/a/b/c', 'value')).toEqual({ line: 2, column: 8 })
  })
})
