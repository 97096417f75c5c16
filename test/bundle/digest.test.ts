import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { BundleFile } from '../../src/bundle/bundle.ts'
import { bundleDigest } from '../../src/bundle/digest.ts'
import { findIntegrityValues, stripIntegrity } from '../../src/bundle/manifest-bytes.ts'

const sha = (content: string | Uint8Array): string => createHash('sha512').update(content).digest('hex')
const sri = (records: string): string => `sha512-${createHash('sha512').update(records).digest('base64')}`
const file = (path: string, content: string, executable = false): BundleFile => ({
  path,
  size: Buffer.byteLength(content),
  executable,
  sha512: sha(content),
  shebang: content.startsWith('#!'),
})
const digestOf = (manifest: string, ...others: readonly BundleFile[]): string =>
  bundleDigest([file('capability.json', manifest), ...others], Buffer.from(manifest))

test('the digest covers one record per file, in the byte order of the paths', () => {
  const files = [
    file('z.md', 'z'),
    file('\u{1f600}', 'smile'),
    file('\uff5e', 'tilde'),
    file('a/b', 'b', true),
    file('a.b', 'c'),
  ]
  const records = [
    `a.b\0-\0${sha('c')}\n`,
    `a/b\0x\0${sha('b')}\n`,
    `z.md\0-\0${sha('z')}\n`,
    `\uff5e\0-\0${sha('tilde')}\n`,
    `\u{1f600}\0-\0${sha('smile')}\n`,
  ]
  expect(bundleDigest(files, null)).toBe(sri(records.join('')))
  expect(bundleDigest(files.toReversed(), null)).toBe(sri(records.join('')))
})

test('a digest equals the one that printf and sha512sum compute', () => {
  expect(
    bundleDigest([file('capability.json', '{}\n'), file('run.sh', '#!/bin/sh\n', true)], Buffer.from('{}\n')),
  ).toBe('sha512-ZszkuGDinaNXHg3pSQ/YwWDRK3U7xAzPyP6SBEo+tobDeEhaGbj9kQ5YPxR/kfbfE8O5aCDI787Ka0uiKau8bw==')
})

test('the path, the executable bit and the content of every file change the digest', () => {
  const base = digestOf('{}', file('a.md', 'text'))
  expect(digestOf('{}', file('b.md', 'text'))).not.toBe(base)
  expect(digestOf('{}', file('a.md', 'text', true))).not.toBe(base)
  expect(digestOf('{}', file('a.md', 'Text'))).not.toBe(base)
  expect(digestOf('{ }', file('a.md', 'text'))).not.toBe(base)
  expect(digestOf('{}')).not.toBe(base)
})

test('the value of a top-level integrity does not change the digest, and its presence does', () => {
  const empty = digestOf('{"id":"demo","integrity":""}')
  expect(digestOf('{"id":"demo","integrity":"sha512-abc"}')).toBe(empty)
  expect(digestOf('{"id":"demo","integrity":"any \\" text \\u0041 at \\\\ all"}')).toBe(empty)
  expect(digestOf('{"id":"demo","integrity": ""}')).not.toBe(empty)
  expect(digestOf('{"id":"demo"}')).not.toBe(empty)
})

test('an executable declared hook script has the same digest as one whose bit was lost', () => {
  const manifest = '{"hooks":[{"event":"Stop","script":"a.sh"}]}'
  expect(digestOf(manifest, file('a.sh', '#!/bin/sh\n'))).toBe(digestOf(manifest, file('a.sh', '#!/bin/sh\n', true)))
  expect(digestOf('{}', file('a.sh', '#!/bin/sh\n'))).not.toBe(digestOf('{}', file('a.sh', '#!/bin/sh\n', true)))
  expect(digestOf(manifest, file('a.sh', 'echo'))).not.toBe(digestOf(manifest, file('a.sh', 'echo', true)))
})

test('only capability.json at the root is the manifest', () => {
  const inner = (value: string) => digestOf('{}', file('docs/capability.json', `{"integrity":"${value}"}`))
  expect(inner('a')).not.toBe(inner('b'))
})

const without = (text: string): string => Buffer.from(stripIntegrity(Buffer.from(text))).toString()

test.each([
  ['{"integrity":"x"}', '{"integrity":""}'],
  ['\ufeff{ "integrity" : "x" }', '\ufeff{ "integrity" : "" }'],
  ['{"a":"\u{1f600}\u00e9","integrity":"x"}', '{"a":"\u{1f600}\u00e9","integrity":""}'],
  ['{"\\u0069ntegrity":"x"}', '{"\\u0069ntegrity":""}'],
  [
    '{"integrity":"x","b":{"integrity":"y"},"c":[{"integrity":"z"}]}',
    '{"integrity":"","b":{"integrity":"y"},"c":[{"integrity":"z"}]}',
  ],
  ['{"integrity":"x","integrity":"y"}', '{"integrity":"","integrity":""}'],
  ['{"integrity":"x","integrity":7}', '{"integrity":"","integrity":7}'],
  ['{"a":"\\"integrity\\":","integrity":"}"}', '{"a":"\\"integrity\\":","integrity":""}'],
  ['{"a":["{","[","\\\\"],"integrity":"x"}', '{"a":["{","[","\\\\"],"integrity":""}'],
])('in %j only the characters between the quotes are dropped', (text, expected) => {
  expect(without(text)).toBe(expected)
})

test.each([
  '{"id":"demo"}',
  '{"integrity":7}',
  '{"integrity":null}',
  '{"integrity":["x"]}',
  '{"integrity":{"integrity":"x"}}',
  '{"x":"integrity","y":"z"}',
  '{"x":{"integrity":"y"}}',
  '["integrity","x"]',
  '[{"integrity":"x"}]',
  '"integrity"',
  '{"integrity":"x"',
  '{"integrity":"x",}',
  '{"integrity":"x"} // remark',
  "{'integrity':'x'}",
  '{"Integrity":"x"}',
  '',
])('%j is hashed unchanged', (text) => {
  const bytes = Buffer.from(text)
  expect(stripIntegrity(bytes)).toBe(bytes)
})

test('a manifest that is not UTF-8 is hashed unchanged', () => {
  const bytes = Buffer.concat([Buffer.from('{"integrity":"'), Buffer.from([0xff]), Buffer.from('"}')])
  expect(stripIntegrity(bytes)).toBe(bytes)
})

test('a manifest nested a million levels deep, or one long string, gets a digest', () => {
  const deep = '['.repeat(500_000)
  expect(findIntegrityValues(`{"integrity":"x","a":${deep}`)).toEqual([])
  expect(findIntegrityValues(`{"a":${deep}${']'.repeat(500_000)},"integrity":"x"}`)).toHaveLength(1)
  expect(findIntegrityValues(`{"a":"${'\\"'.repeat(400_000)}","integrity":"x"}`)).toHaveLength(1)
})

test('a manifest that is too long is hashed unchanged', () => {
  const text = `{"integrity":"x"}${' '.repeat(1024 * 1024)}`
  const one = file('capability.json', text)
  expect(bundleDigest([one], Buffer.from(text))).toBe(sri(`capability.json\0-\0${sha(text)}\n`))
})
