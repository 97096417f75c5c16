import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { parseIntegrity } from '../../src/bundle/integrity.ts'
import { verifyArtifact } from '../../src/bundle/verify-artifact.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { codeOf, hintOf, thrownBy } from '../helpers/thrown.ts'

const room = useBundleFixture()
const sri = (algorithm: string, text: string): string =>
  `${algorithm}-${createHash(algorithm).update(text).digest('base64')}`
const good = sri('sha512', 'hello')

test('one sha512 is accepted unchanged', () => {
  expect(parseIntegrity(good)).toBe(good)
})

test('surrounding blanks and line ends are ignored', () => {
  expect(parseIntegrity(` \t${good}\r\n`)).toBe(good)
})

test.each(['md5', 'sha1', 'sha256', 'sha384'])('%s is refused by name', (algorithm) => {
  const error = thrownBy(() => parseIntegrity(sri(algorithm, 'hello')))
  expect(error.code).toBe('INTEGRITY_WEAK')
  expect(error.message).toContain(algorithm)
})

test('a weaker hash is refused next to a sha512 too, on either side', () => {
  expect(codeOf(() => parseIntegrity(`${good} ${sri('sha1', 'hello')}`))).toBe('INTEGRITY_WEAK')
  expect(codeOf(() => parseIntegrity(`${sri('sha256', 'hello')} ${good}`))).toBe('INTEGRITY_WEAK')
})

test('a weak hash is recognised in capitals and without any base64', () => {
  expect(codeOf(() => parseIntegrity('SHA1-'))).toBe('INTEGRITY_WEAK')
  expect(codeOf(() => parseIntegrity('sha1:da39a3ee'))).toBe('INTEGRITY_WEAK')
})

test.each([
  ['nothing', ''],
  ['blanks', ' \n '],
  ['two different sha512', `${good} ${sri('sha512', 'other')}`],
  ['the same sha512 twice', `${good} ${good}`],
  ['options', `${good}?ct=application/gzip`],
  ['options that say nothing', `${good}?`],
  ['a sha512 without padding', good.replace(/=+$/, '')],
  ['a sha512 of 63 bytes', `sha512-${Buffer.alloc(63).toString('base64')}`],
  ['a sha512 of 65 bytes', `sha512-${Buffer.alloc(65).toString('base64')}`],
  ['bits beyond the 64 bytes', `sha512-${'A'.repeat(85)}B==`],
  ['url-safe base64', `sha512-${'-_'.repeat(43)}==`],
  ['a name in capitals', good.replace('sha512', 'SHA512')],
  ['a name without a hash', 'sha512-'],
  ['a hash without a name', good.slice(7)],
  ['an unknown algorithm', good.replace('sha512', 'sha3')],
  ['a name of the prototype', good.replace('sha512', 'constructor')],
  ['a no-break space', `${good}\u00a0`],
  ['a comma between two', `${good},${good}`],
  ['bytes in the middle of base64', `sha512-${'A'.repeat(40)}\0${'A'.repeat(45)}==`],
])('%s is malformed', (_what, text) => {
  expect(codeOf(() => parseIntegrity(text))).toBe('INTEGRITY_MALFORMED')
})

test.each(['', 'sha512-', 'sha512:'])('a hexadecimal sha512 after %j is answered with its base64', (prefix) => {
  const hex = createHash('sha512').update('hello').digest('hex')
  expect(codeOf(() => parseIntegrity(prefix + hex))).toBe('INTEGRITY_MALFORMED')
  expect(hintOf(() => parseIntegrity(prefix + hex))).toContain(good)
})

const verify = (file: string, ...expected: { value: string; statedBy: string }[]) =>
  room.refusalOf(verifyArtifact(file, expected))

test('an artifact is hashed completely and its integrity returned', async () => {
  const bytes = Buffer.alloc(1_000_000, 'hello ')
  const integrity = sri('sha512', bytes.toString())
  const file = room.archive(bytes)
  expect(await verifyArtifact(file, [])).toBe(integrity)
  expect(
    await verifyArtifact(file, [
      { value: integrity, statedBy: '--integrity' },
      { value: ` ${integrity} `, statedBy: 'npm' },
    ]),
  ).toBe(integrity)
})

test('a mismatch names who stated what, and the actual hash', async () => {
  const file = room.archive(Buffer.from('hello'))
  const error = await verify(file, { value: sri('sha512', 'other'), statedBy: '--integrity' })
  expect(error.code).toBe('INTEGRITY_MISMATCH')
  expect(error.message).toContain('--integrity')
  expect(error.message).toContain(sri('sha512', 'other'))
  expect(error.message).toContain(good)
})

test('two statements that disagree are refused even if one of them is right', async () => {
  const file = room.archive(Buffer.from('hello'))
  const right = { value: good, statedBy: 'the catalog' }
  const wrong = { value: sri('sha512', 'other'), statedBy: '--integrity' }
  for (const both of [
    [right, wrong],
    [wrong, right],
  ]) {
    const error = await verify(file, ...both)
    expect(error.code).toBe('INTEGRITY_MISMATCH')
    expect(error.message).toContain('the catalog')
    expect(error.message).toContain('--integrity')
  }
})

test('a weak statement is refused before the file is opened', async () => {
  const error = await verify('/nowhere.tgz', { value: sri('sha1', 'hello'), statedBy: 'npm' })
  expect(error.code).toBe('INTEGRITY_WEAK')
})

test('a missing file, a folder or an unreadable file is not an artifact', async () => {
  expect((await verify('/nowhere.tgz')).code).toBe('FETCH_NOT_FOUND')
  fs.mkdirSync(room.path('source'))
  expect((await verify(room.path('source'))).code).toBe('FETCH_UNREADABLE')
})
