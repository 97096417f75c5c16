import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/state/json-text.ts'
import { type JsonObject, jsonText, memberAt, sameJson, withMember } from '../../src/state/json-text.ts'
import { fc } from '../helpers/property.ts'

const json = (): fc.Arbitrary<Json> => fc.jsonValue() as fc.Arbitrary<Json>
const object = (): fc.Arbitrary<JsonObject> => fc.dictionary(fc.string(), json()) as fc.Arbitrary<JsonObject>

describe('the JSON text of a state file', () => {
  test('reads back as the value', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is the same for equal content, in any order of its keys', () => {
    fc.assert(
      fc.property(object(), (value) => {
        const other = Object.fromEntries(Object.entries(value).toReversed())
        expect(jsonText(other)).toBe(jsonText(value))
        expect(jsonText(JSON.parse(jsonText(value)) as Json)).toBe(jsonText(value))
      }),
    )
  })

  test('has sorted keys, two spaces of indentation, and a final newline', () => {
    expect(jsonText({ b: [1, { d: 'x', c: null }], a: {}, 10: [], 9: true })).toBe(
      '{\n  "10": [],\n  "9": true,\n  "a": {},\n  "b": [\n    1,\n    {\n      "c": null,\n      "d": "x"\n    }\n  ]\n}\n',
    )
  })

  test('omits members without a value, as JSON does', () => {
    expect(sameJson({ a: 1, b: undefined } as unknown as Json, { a: 1 })).toBe(true)
  })
})

describe('a member', () => {
  const key = () => fc.array(fc.oneof(fc.string(), fc.constant('__proto__')), { minLength: 1, maxLength: 3 })

  test('that is added is found, and removed without a trace', () => {
    fc.assert(
      fc.property(object(), key(), json(), (value, path, member) => {
        const changed = withMember(value, path, member)
        expect(sameJson(memberAt(changed, path), member)).toBe(true)
        expect(memberAt(withMember(changed, path, null), path)).toBeNull()
      }),
    )
  })

  test('of a prototype is never found, set or reached', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) expect(memberAt({}, [name])).toBeNull()
    const changed = withMember({}, ['__proto__', 'polluted'], true)
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
