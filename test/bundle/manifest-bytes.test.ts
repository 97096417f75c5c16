import { expect, test } from 'vitest'
import { setIntegrity } from '../../src/bundle/manifest-bytes.ts'

test.each([
  ['{"integrity":"old","id":"a"}', '{"integrity":"NEW","id":"a"}'],
  [
    '{\r\n\t"id": "a",\r\n\t"integrity" :  "" , "b": 1.0\r\n}',
    '{\r\n\t"id": "a",\r\n\t"integrity" :  "NEW" , "b": 1.0\r\n}',
  ],
  ['\ufeff{"\\u0069ntegrity":"old"}', '\ufeff{"\\u0069ntegrity":"NEW"}'],
])('in %j only the value changes', (text, expected) => {
  expect(setIntegrity(text, 'NEW')).toBe(expected)
})

test.each([
  ['{\n  "id": "a",\n  "n": 1\n}\n', '{\n  "id": "a",\n  "n": 1,\n  "integrity": "NEW"\n}\n'],
  ['\ufeff{\r\n\t"id":"a"\r\n}', '\ufeff{\r\n\t"id":"a",\r\n\t"integrity":"NEW"\r\n}'],
  ['{\n\n    "id": [1,\n2]\n\n}', '{\n\n    "id": [1,\n2],\n    "integrity": "NEW"\n\n}'],
  ['{"id":"a","b":2}', '{"id":"a","b":2,"integrity":"NEW"}'],
  ['{"id": "a", "b": 2}', '{"id": "a", "b": 2, "integrity": "NEW"}'],
  ['{ "id": "a", "b": "}" }', '{ "id": "a", "b": "}", "integrity": "NEW" }'],
  ['{"x":{"integrity":"inner"}}', '{"x":{"integrity":"inner"},"integrity":"NEW"}'],
  ['{}', '{"integrity": "NEW"}'],
  ['{\n}', '{"integrity": "NEW"\n}'],
])('in %j the member is added in the same style', (text, expected) => {
  expect(setIntegrity(text, 'NEW')).toBe(expected)
  expect(JSON.parse(expected.replace(/^\ufeff/, ''))).toMatchObject({ integrity: 'NEW' })
})

test.each(['{"integrity":7}', '{"integrity":null}', '{"integrity":"a","integrity":"b"}', '[]', '"x"'])(
  '%j cannot hold an integrity',
  (text) => {
    expect(setIntegrity(text, 'NEW')).toBeNull()
  },
)
