import { expect, test } from 'vitest'
import { createCheckedReader } from '../../../src/bundle/archive/checked-reader.ts'
import { GsdError } from '../../../src/errors.ts'
import { MANIFEST_ENTRY, pax, paxRecord, tar, tarEntry, type TarEntry } from '../../helpers/tar.ts'

/** The paths that both readers return, or the rule and code of the refusal. */
const read = async (bytes: Buffer, cut = bytes.length): Promise<readonly string[] | string> => {
  const paths: string[] = []
  const reader = await createCheckedReader({
    entry: ({ path }) => void paths.push(path),
    data() {},
    end() {},
    countOverhead() {},
  })
  try {
    for (let at = 0; at < bytes.length; at += cut) reader.write(bytes.subarray(at, at + cut))
    reader.finish()
    return paths
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return `${error.code} ${String((error.details as { rule?: string }).rule)}`
  }
}

const entry: TarEntry = { path: 'docs/n.md', body: 'ok' }

test.each<[string, readonly (TarEntry | Buffer)[], string]>([
  [
    'a remark that looks like a name to a reader that goes by lines',
    [pax({ comment: '\n16 path=../evil\n' }), entry],
    'ARCHIVE_UNSAFE second-reader',
  ],
  [
    'a remark that looks like a size to a reader that goes by lines',
    [pax({ comment: '\n10 size=7\n' }), entry],
    'ARCHIVE_UNSAFE second-reader',
  ],
  [
    'a hard link with content, which one reader skips and one does not',
    [{ ...entry, flag: '1', link: 'x', body: '', size: 512 }, MANIFEST_ENTRY],
    'ARCHIVE_UNSAFE second-reader',
  ],
  ['a type that nobody knows', [{ ...entry, flag: '@', body: '' }], 'ARCHIVE_UNSAFE second-reader'],
  [
    'a prefix in a ustar header of another version',
    [{ ...entry, patch: (header) => void (header.write('99', 263), header.write('pre', 345)) }],
    'ARCHIVE_UNSAFE second-reader',
  ],
  [
    'a number in base 256 with a lead byte that not every reader takes',
    [{ ...entry, patch: (header) => void (header.fill(0, 108, 116), (header[108] = 0x81)) }],
    'ARCHIVE_CORRUPT second-reader',
  ],
  [
    'an octal number after a NUL, which one reader takes for none',
    [{ ...entry, patch: (header) => void header.write('\x000000000002', 124) }],
    'ARCHIVE_CORRUPT number',
  ],
  ['a NUL in the path of an extended header', [pax({ path: 'a\0b' }), entry], 'ARCHIVE_UNSAFE control-character'],
  [
    'a line break in the path of an extended header',
    [pax({ path: 'a\nb' }), entry],
    'ARCHIVE_UNSAFE control-character',
  ],
  [
    'a line break in the key of an extended header',
    [tarEntry({ path: 'x', flag: 'x', body: paxRecord('a\n9 path', 'x') }), entry],
    'ARCHIVE_CORRUPT extended-header',
  ],
  [
    'a NUL in the name of the header behind an extended one',
    [pax({ path: 'docs/n.md' }), { ...entry, rawPath: Buffer.from('a\0b') }],
    'ARCHIVE_UNSAFE control-character',
  ],
])('%s is refused', async (_what, entries, refusal) => {
  const bytes = tar(MANIFEST_ENTRY, ...entries)
  expect(await read(bytes)).toBe(refusal)
  expect(await read(bytes, 100)).toBe(refusal)
})

test('a name in any script is read the same wherever the stream is split', async () => {
  const path = `docs/${'\u65e5\u00e9\u{1f600}'.repeat(60)}.md`
  const bytes = tar(MANIFEST_ENTRY, pax({ path }), entry)
  for (let cut = 500; cut < 2600; cut += 7) expect(await read(bytes, cut)).toEqual(['capability.json', path])
})

test('a path whose short form ends in a slash is a file by its full name', async () => {
  const path = 'docs/a.md'
  expect(await read(tar(pax({ path }), { ...entry, path: 'docs/' }))).toEqual([path])
})

test('padding after the end is dropped', async () => {
  expect(await read(Buffer.concat([tar(entry), Buffer.alloc(4 * 1024 * 1024)]), 65_536)).toEqual(['docs/n.md'])
})
