import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setKey, unsetKey } from '../../src/loop/config/edit-config-text.ts'
import { parseConfigText } from '../../src/loop/config/read-config-text.ts'

const at = (key: string, prefix: readonly string[] = []) => ({ file: 'config.json', prefix, key })

describe('setting a key', () => {
  it('begins an empty file', () => {
    expect(setKey('', at('workflow.research'), false)).toBe('{\n  "workflow": {\n    "research": false\n  }\n}\n')
  })

  it.each([
    [
      'the value in its place',
      '{\n  "a": 1, // one\n  "m": { "k": 2 }\n}',
      'm.k',
      3,
      '{\n  "a": 1, // one\n  "m": { "k": 3 }\n}',
    ],
    ['the dotted form in its place', '{"m.k":2}', 'm.k', 3, '{"m.k":3}'],
    ['the nested form where both are there', '{"m.k":2,"m":{"k":1}}', 'm.k', 3, '{"m.k":2,"m":{"k":3}}'],
    ['the last of repeated members', '{"a":1,"a":2}', 'a', 3, '{"a":1,"a":3}'],
    [
      'a new member behind the last one',
      '{\n\t"m": {\n\t\t"a": 1 // x\n\t}\n}\n',
      'm.k',
      true,
      '{\n\t"m": {\n\t\t"a": 1, // x\n\t\t"k": true\n\t}\n}\n',
    ],
    ['CRLF line ends', '{\r\n  "a": 1\r\n}\r\n', 'b', 2, '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n'],
    ['a byte order mark', '\ufeff{"a":1}', 'a', 2, '\ufeff{"a":2}'],
  ])('writes %s and leaves every other byte', (_title, before, key, value, after) => {
    expect(setKey(before, at(key), value)).toBe(after)
  })

  it('goes below the prefix of the user’s defaults', () => {
    expect(setKey('{"schema":1}', at('mode', ['defaults']), 'yolo')).toBe('{"schema":1,"defaults":{"mode":"yolo"}}')
  })

  it('refuses to write below what is no object', () => {
    expect(() => setKey('{"workflow": true}', at('workflow.research'), false)).toThrow(
      expect.objectContaining({ code: 'STATE_CONFIG_INVALID' }),
    )
  })
})

describe('unsetting a key', () => {
  it('removes both forms and every repetition, and keeps comments', () => {
    const text = '{\n  // keep\n  "m.k": 1,\n  "m": { "k": 2, "k": 3, "o": 4 }\n}\n'
    const after = unsetKey(text, at('m.k'))
    expect(after).toContain('// keep')
    expect(parseConfigText(after)).toMatchObject({ root: { m: { o: 4 } } })
  })

  it('leaves a text as it was before the key was set, where its object was there', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/)
    fc.assert(
      fc.property(fc.dictionary(word, fc.integer()), word, fc.boolean(), (values, key, indented) => {
        fc.pre(!Object.hasOwn(values, key) && Object.keys(values).length > 0)
        const text = JSON.stringify(values, null, indented ? 2 : 0)
        const set = setKey(text, at(key), 'v')
        expect(JSON.parse(set)).toEqual({ ...values, [key]: 'v' })
        expect(unsetKey(set, at(key))).toBe(text)
      }),
      { seed: 7 },
    )
  })
})
