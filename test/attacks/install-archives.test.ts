import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, createGzip, gzipSync, constants } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bundleFiles, useScratch } from '../helpers/scratch.ts'
import { pax, tar, TAR_END, tarEntry, tgz, type TarEntry } from '../helpers/tar.ts'

const scratch = useScratch()
const MIB = 1024 * 1024
const CLAUDE = { runtimes: ['claude'] } as const

const ENTRIES: readonly TarEntry[] = Object.entries(bundleFiles('guard')).map(([path, body]) => ({ path, body }))
const GOOD = tgz(...ENTRIES)
const sri = (bytes: Buffer, algorithm = 'sha512'): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`

const archive = (bytes: Buffer, name = 'guard.tgz'): string => scratch.put(`archives/${name}`, bytes)
const refusalOf = (bytes: Buffer) => {
  const file = archive(bytes)
  return scratch.refused(() => scratch.install(file, CLAUDE))
}

describe('an invalid archive is refused, and nothing changes', () => {
  const cut = (at: number): Buffer => GOOD.subarray(0, at)
  const flipped = (at: number): Buffer => Buffer.from(GOOD.map((byte, index) => (index === at ? byte ^ 0xff : byte)))
  const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(200)])
  const html = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body></body></html>\n'

  test.each([
    ['gzip cut off in its header', cut(5), 'ARCHIVE_CORRUPT'],
    ['gzip cut off in the middle', cut(GOOD.length / 2), 'ARCHIVE_CORRUPT'],
    ['gzip without its last byte', cut(GOOD.length - 1), 'ARCHIVE_CORRUPT'],
    ['gzip with a flipped byte in the data', flipped(40), 'ARCHIVE_CORRUPT'],
    ['gzip with a wrong checksum', flipped(GOOD.length - 8), 'ARCHIVE_CORRUPT'],
    ['gzip of a tar that ends early', gzipSync(tar(...ENTRIES).subarray(0, 700)), 'ARCHIVE_CORRUPT'],
    ['gzip of a tar without its end', gzipSync(tar(...ENTRIES).subarray(0, -1024)), 'ARCHIVE_CORRUPT'],
    ['gzip of something else', gzipSync('hello, this is no archive'.repeat(100)), 'ARCHIVE_CORRUPT'],
    ['gzip of nothing', gzipSync(''), 'ARCHIVE_CORRUPT'],
    ['something behind the gzip', Buffer.concat([GOOD, Buffer.from('more')]), 'ARCHIVE_CORRUPT'],
    [
      'something behind the end of the tar',
      gzipSync(Buffer.concat([tar(...ENTRIES), Buffer.from('x')])),
      'ARCHIVE_CORRUPT',
    ],
    ['a zip', zip, 'ARCHIVE_NOT_GZIP'],
    ['an HTML page', Buffer.from(html), 'ARCHIVE_NOT_GZIP'],
    ['an HTML page that is compressed', gzipSync(html), 'ARCHIVE_CORRUPT'],
    ['a tar that is not compressed', tar(...ENTRIES), 'ARCHIVE_NOT_GZIP'],
    ['an empty file', Buffer.alloc(0), 'ARCHIVE_NOT_GZIP'],
    ['an archive without a bundle', tgz({ path: 'README.md', body: 'hi' }), 'ARCHIVE_NO_BUNDLE'],
  ] as const)('%s', async (_what, bytes, code) => {
    expect(await refusalOf(bytes)).toMatchObject({ code, exitStatus: 3, hint: expect.stringMatching(/./) })
  })

  test('and a web page is named by its format', async () => {
    expect((await refusalOf(Buffer.from(html))).message).toMatch(/HTML|page/i)
    expect((await refusalOf(zip)).message).toMatch(/zip/i)
  })
})

describe('--integrity', () => {
  const other = sri(Buffer.from('other'))
  test.each([
    ['of other bytes', other, 'INTEGRITY_MISMATCH', 3],
    ['of a weaker kind', sri(GOOD, 'sha256'), 'INTEGRITY_WEAK', 2],
    ['of the weakest kind', sri(GOOD, 'sha1'), 'INTEGRITY_WEAK', 2],
    ['with a weaker one beside', `${sri(GOOD)} ${sri(GOOD, 'sha256')}`, 'INTEGRITY_WEAK', 2],
    ['of which one of two is right', `${sri(GOOD)} ${other}`, 'INTEGRITY_MALFORMED', 2],
    ['given twice', `${sri(GOOD)} ${sri(GOOD)}`, 'INTEGRITY_MALFORMED', 2],
    ['cut short', sri(GOOD).slice(0, -4), 'INTEGRITY_MALFORMED', 2],
    ['with options', `${sri(GOOD)}?foo`, 'INTEGRITY_MALFORMED', 2],
    ['in hexadecimal', `sha512-${createHash('sha512').update(GOOD).digest('hex')}`, 'INTEGRITY_MALFORMED', 2],
    ['that says nothing', ' ', 'INTEGRITY_MALFORMED', 2],
    ['that is nonsense', 'yes', 'INTEGRITY_MALFORMED', 2],
  ] as const)('%s is refused', async (_what, integrity, code, exitStatus) => {
    const file = archive(GOOD)
    expect(await scratch.refused(() => scratch.install(file, { ...CLAUDE, integrity }))).toMatchObject({
      code,
      exitStatus,
    })
  })

  test('is checked before the archive is unpacked', async () => {
    const file = archive(tgz({ path: '../evil', body: 'x' }))
    expect(await scratch.refused(() => scratch.install(file, { integrity: other }))).toMatchObject({
      code: 'INTEGRITY_MISMATCH',
    })
  })

  test('that matches is recorded, and the archive is verified against it', async () => {
    const file = archive(GOOD)
    await scratch.install(file, { integrity: sri(GOOD) })
    expect(scratch.text('home/.gsd/ledger.json')).toContain(`"integrity": "${sri(GOOD)}"`)
  })

  test('on a folder is refused with a hint', async () => {
    const bundle = scratch.bundle('guard')
    const error = await scratch.refused(() => scratch.install(bundle, { integrity: other }))
    expect(error).toMatchObject({
      code: 'INTEGRITY_NO_ARTIFACT',
      exitStatus: 2,
      hint: expect.stringContaining('"integrity"'),
    })
  })
})

describe('an archive with one bad entry is refused completely', () => {
  const long = 'x'.repeat(300)
  test.each([
    ['a symbolic link', [{ path: 'link', flag: '2', link: '/etc/passwd' }]],
    ['a symbolic link that stays inside', [{ path: 'link', flag: '2', link: 'capability.json' }]],
    ['a hard link', [{ path: 'link', flag: '1', link: 'capability.json' }]],
    ['a character device', [{ path: 'null', flag: '3' }]],
    ['a block device', [{ path: 'disk', flag: '4' }]],
    ['a FIFO', [{ path: 'pipe', flag: '6' }]],
    ['a FIFO in place of the hook script', [{ path: 'hooks/more.sh', flag: '6' }]],
    ['a path that climbs out', [{ path: '../evil.md' }]],
    ['a path that climbs out of its folder', [{ path: 'a/../../evil.md' }]],
    ['an absolute path', [{ path: '/evil.md' }]],
    ['a drive letter', [{ path: 'C:/evil.md' }]],
    ['a backslash', [{ path: 'a\\evil.md' }]],
    ['a network share', [{ path: '\\\\host\\evil.md' }]],
    ['an empty segment', [{ path: 'a//b.md' }]],
    ['a control character', [{ path: 'a\u001b[2J.md' }]],
    ['a name that ends in a dot', [{ path: 'a./b.md' }]],
    ['a name that ends in a blank', [{ path: 'a /b.md' }]],
    ['a device name of Windows', [{ path: 'aux.md' }]],
    ['a segment that is too long', [pax({ path: `${long}.md` }), { path: 'x' }]],
    ['a path that is too long', [pax({ path: `${'d/'.repeat(600)}x.md` }), { path: 'x' }]],
    ['a path that is there twice', [{ path: 'hooks/run.sh', body: 'other' }]],
    ['a path that differs in case only', [{ path: 'Hooks/run.sh', body: 'other' }]],
    ['a path that differs in its normal form only', [{ path: 'caf\u00e9.md' }, { path: 'cafe\u0301.md' }]],
    ['a file used as a folder', [{ path: 'hooks/run.sh/evil.md' }]],
  ] as const)('%s', async (_what, entries) => {
    const error = await refusalOf(tgz(...ENTRIES, ...(entries as readonly (TarEntry | Buffer)[])))
    expect(error).toMatchObject({ code: 'ARCHIVE_UNSAFE', exitStatus: 3 })
    expect(error.details).toMatchObject({ entry: expect.any(String), rule: expect.any(String) })
  })

  test('too many entries', async () => {
    const many = Array.from({ length: 10_001 }, (_, at): TarEntry => ({ path: `f${at}` }))
    expect(await refusalOf(tgz(...ENTRIES, ...many))).toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
  })

  test('a file of more than 64 MiB', async () => {
    expect(await refusalOf(tgz(...ENTRIES, { path: 'big', size: 64 * MIB + 1 }))).toMatchObject({
      code: 'ARCHIVE_TOO_LARGE',
    })
  })
})

test('ten gigabytes of zeros in a small archive never reach the disk', async () => {
  // One piece of deflated zeros that ends on a byte border can be repeated in the stream any number of times.
  const piece = deflateRawSync(Buffer.alloc(64 * MIB), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const head = deflateRawSync(
    Buffer.concat([...ENTRIES.map(tarEntry), tarEntry({ path: 'zeros', size: 10 * 1024 * MIB })]),
    { finishFlush: constants.Z_FULL_FLUSH },
  )
  const bytes = Buffer.concat([gzipSync('').subarray(0, 10), head, ...Array<Buffer>(160).fill(piece)])
  expect(bytes.length).toBeLessThan(16 * MIB)
  expect(await refusalOf(bytes)).toMatchObject({ code: 'ARCHIVE_TOO_LARGE', exitStatus: 3 })
})

test('zeros in many small files are cut off by their ratio', async () => {
  const file = scratch.path('zeros.tgz')
  const gzip = createGzip({ level: 9 })
  const done = new Promise<void>((resolve, reject) => {
    gzip.pipe(createWriteStream(file)).on('finish', resolve).on('error', reject)
  })
  const zeros = Buffer.alloc(8 * MIB)
  for (const entry of ENTRIES) gzip.write(tarEntry(entry))
  for (let at = 0; at < 8; at += 1) gzip.write(tarEntry({ path: `zeros-${at}`, body: zeros }))
  gzip.end(TAR_END)
  await done
  expect(await scratch.refused(() => scratch.install(file))).toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
})

describe('a path that is not an archive', () => {
  test('a FIFO does not hang', async () => {
    const file = scratch.path('pipe.tgz')
    spawnSync('mkfifo', [file])
    expect(await scratch.refused(() => scratch.install(file))).toMatchObject({
      code: 'FETCH_UNREADABLE',
      exitStatus: 5,
    })
  })

  test('a device is not opened', async () => {
    const file = scratch.path('zero.tgz')
    spawnSync('ln', ['-s', '/dev/zero', file])
    expect(await scratch.refused(() => scratch.install(file))).toMatchObject({ code: 'FETCH_UNREADABLE' })
  })

  test('a path that does not exist', async () => {
    const error = await scratch.refused(() => scratch.install(scratch.path('none.tgz')))
    expect(error).toMatchObject({ code: 'FETCH_NOT_FOUND', exitStatus: 5 })
  })

  test('a folder', async () => {
    scratch.bundle('guard', { to: 'guard.tgz' })
    const error = await scratch.refused(() => scratch.install(scratch.path('guard.tgz')))
    expect(error).toMatchObject({ code: 'FETCH_UNREADABLE', hint: expect.stringContaining('guard.tgz/') })
  })
})

test('an installed archive stays unchanged when the archive changes', async () => {
  const file = archive(GOOD)
  await scratch.install(file, CLAUDE)
  archive(tgz(...ENTRIES, { path: '../evil' }))
  await scratch.refused(() => scratch.install(file))
  expect(readFileSync(join(scratch.home, '.gsd/capabilities/guard/hooks/run.sh'), 'utf8')).toBe(
    bundleFiles('guard')['hooks/run.sh'],
  )
})
