import { expect, test } from 'vitest'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { longName, MANIFEST_ENTRY, pax, paxRecord, tarEntry, type TarEntry } from '../helpers/tar.ts'

const room = useBundleFixture()

/** An attack by an archive, with the rule that stops it. */
const ATTACKS: readonly (readonly [string, string, readonly (TarEntry | Buffer)[]])[] = [
  ['climb out with a leading ".."', 'parent-segment', [{ path: '../evil.md' }]],
  ['climb out with ".." in the middle', 'parent-segment', [{ path: 'docs/../../evil.md' }]],
  ['climb out with ".." at the end', 'parent-segment', [{ path: 'docs/..', flag: '5' }]],
  ['climb out behind a leading "./"', 'parent-segment', [{ path: './../evil.md' }]],
  ['climb out of a top folder', 'parent-segment', [{ path: 'package/../../evil.md' }]],
  [
    'climb out with a name from an extended header',
    'parent-segment',
    [pax({ path: '../evil.md' }), { path: 'fine.md' }],
  ],
  ['climb out with a GNU long name', 'parent-segment', [longName('../evil.md'), { path: 'fine.md' }]],
  [
    'climb out with the prefix of a ustar header',
    'parent-segment',
    [{ path: 'evil.md', patch: (h) => void h.write('..', 345) }],
  ],
  ['write to an absolute path', 'absolute-path', [{ path: '/etc/evil.md' }]],
  ['write to an absolute path behind "./"', 'absolute-path', [{ path: './/etc/evil.md' }]],
  [
    'write to an absolute path from an extended header',
    'absolute-path',
    [pax({ path: '/etc/evil.md' }), { path: 'x' }],
  ],
  ['write to a drive of Windows', 'drive-letter', [{ path: 'C:/evil.md' }]],
  ['write relative to a drive of Windows', 'drive-letter', [{ path: 'c:evil.md' }]],
  ['write to a drive once the top folder is cut off', 'drive-letter', [{ path: 'package/C:/evil.md' }]],
  ['write to a network share with slashes', 'absolute-path', [{ path: '//server/share/evil.md' }]],
  ['write to a network share with backslashes', 'backslash', [{ path: '\\\\server\\share\\evil.md' }]],
  ['use a backslash as a separator', 'backslash', [{ path: '..\\evil.md' }]],
  ['hide an empty segment', 'empty-segment', [{ path: 'docs//evil.md' }]],
  ['hide an empty segment at the end of a folder', 'empty-segment', [{ path: 'docs//', flag: '5' }]],
  ['hide a "." segment', 'dot-segment', [{ path: 'docs/./evil.md' }]],
  ['drop more than one leading "./"', 'dot-segment', [{ path: '././evil.md' }]],
  ['be a file called "."', 'dot-segment', [{ path: '.' }]],
  ['have no name in an extended header', 'empty-path', [pax({ path: '' }), { path: 'x' }]],
  ['cut its name short with a NUL', 'control-character', [{ rawPath: Buffer.from('ok.md\0/../evil') }]],
  [
    'cut its name short with a NUL in an extended header',
    'control-character',
    [pax({ path: 'ok.md\0evil' }), { path: 'x' }],
  ],
  ['cut its name short with a NUL in a long name', 'control-character', [longName('ok.md\0evil'), { path: 'x' }]],
  ['put a line break into a name', 'control-character', [pax({ path: 'a\nb.md' }), { path: 'x' }]],
  ['put a terminal escape into a name', 'control-character', [{ path: 'a\u001b[2Jb.md' }]],
  ['put a C1 control character into a name', 'control-character', [{ path: 'a\u009bb.md' }]],
  ['have a name that is not UTF-8', 'not-unicode', [{ rawPath: Buffer.from([0x61, 0xe9, 0x62]) }]],
  ['have a name that encodes a surrogate', 'not-unicode', [{ rawPath: Buffer.from([0xed, 0xa0, 0x80]) }]],
  [
    'have a name that is not UTF-8 in an extended header',
    'not-unicode',
    [pax({ path: Buffer.from([0xff]) }), { path: 'x' }],
  ],
  ['be a symbolic link', 'symbolic-link', [{ path: 'link', flag: '2', link: '/etc/passwd' }]],
  ['be a symbolic link that stays inside', 'symbolic-link', [{ path: 'link', flag: '2', link: 'capability.json' }]],
  ['be a hard link', 'hard-link', [{ path: 'link', flag: '1', link: 'capability.json' }]],
  ['be a character device', 'device', [{ path: 'null', flag: '3' }]],
  ['be a block device', 'device', [{ path: 'disk', flag: '4' }]],
  ['be a FIFO', 'fifo', [{ path: 'pipe', flag: '6' }]],
  ['be of a type that nobody knows', 'unknown-type', [{ path: 'odd', flag: 'Q' }]],
  ['be a volume label', 'unknown-type', [{ path: 'label', flag: 'V' }]],
  ['be a piece of a file from another volume', 'unknown-type', [{ path: 'rest', flag: 'M' }]],
  ['be a sparse file of the old form', 'sparse', [{ path: 'sparse', flag: 'S' }]],
  [
    'be a sparse file of the new form',
    'sparse',
    [pax({ 'GNU.sparse.major': '1', 'GNU.sparse.realsize': '9999999999' }), { path: 'x' }],
  ],
  [
    'write through a link that it brings itself',
    'symbolic-link',
    [{ path: 'd', flag: '2', link: '/tmp' }, { path: 'd/evil.md' }],
  ],
  [
    'be there twice',
    'same-path',
    [
      { path: 'a.md', body: '1' },
      { path: 'a.md', body: '2' },
    ],
  ],
  ['be there twice, once behind "./"', 'same-path', [{ path: 'a.md' }, { path: './a.md' }]],
  ['replace the manifest later on', 'same-path', [{ path: 'capability.json', body: '{"id":"other"}' }]],
  ['be there twice where case does not count', 'same-path-folded', [{ path: 'Read.md' }, { path: 'rEAD.md' }]],
  ['be there twice where sharp s counts as ss', 'same-path-folded', [{ path: 'straße.md' }, { path: 'STRASSE.md' }]],
  [
    'be there twice where normal forms do not count',
    'same-path-folded',
    [{ path: 'caf\u00e9.md' }, { path: 'cafe\u0301.md' }],
  ],
  [
    'be there twice where case of a decomposed letter does not count',
    'same-path-folded',
    [{ path: 'CAF\u00c9.md' }, { path: 'cafe\u0301.md' }],
  ],
  ['merge two folders where case does not count', 'same-path-folded', [{ path: 'Docs/a.md' }, { path: 'docs/b.md' }]],
  [
    'merge two listed folders where case does not count',
    'same-path-folded',
    [
      { path: 'Docs/', flag: '5' },
      { path: 'docs/', flag: '5' },
    ],
  ],
  ['use a file as a folder', 'file-as-folder', [{ path: 'a' }, { path: 'a/b.md' }]],
  ['use a folder as a file', 'file-as-folder', [{ path: 'a/b.md' }, { path: 'a' }]],
  ['use a file as a folder in another case', 'file-as-folder', [{ path: 'a' }, { path: 'A/b.md' }]],
  ['list a file as a folder', 'file-as-folder', [{ path: 'a' }, { path: 'a/', flag: '5' }]],
  ['be a device name of Windows', 'device-name', [{ path: 'NUL' }]],
  ['be a device name with an extension', 'device-name', [{ path: 'hooks/con.js' }]],
  ['be a numbered device name', 'device-name', [{ path: 'docs/lpt1.md' }]],
  ['be a device name with a raised digit', 'device-name', [{ path: 'com\u00b9' }]],
  ['be a device name with a blank before the extension', 'device-name', [{ path: 'aux .md' }]],
  ['be a console device', 'device-name', [{ path: 'CONIN$' }]],
  ['be a folder with a device name', 'device-name', [{ path: 'prn/a.md' }]],
  ['end its name in a dot', 'trailing-dot-or-blank', [{ path: 'a.md.' }]],
  ['end its name in a blank', 'trailing-dot-or-blank', [{ path: 'a.md ' }]],
  ['end a folder in a dot', 'trailing-dot-or-blank', [{ path: 'docs./a.md' }]],
  ['have a segment of 256 bytes', 'segment-too-long', [pax({ path: 'a'.repeat(256) }), { path: 'x' }]],
  ['have a segment of 86 three-byte letters', 'segment-too-long', [pax({ path: '\u4e00'.repeat(86) }), { path: 'x' }]],
  ['have a path of 1,025 bytes', 'path-too-long', [pax({ path: `${'abcdefghijklmno/'.repeat(64)}x` }), { path: 'x' }]],
  ['rename every entry at once', 'global-header', [pax({ path: '../evil.md' }, 'g'), { path: 'x' }]],
  ['resize every entry at once', 'global-header', [pax({ size: '0' }, 'g'), { path: 'x', body: 'content' }]],
  ['give one entry two names', 'two-names', [pax({ path: 'a.md' }), longName('b.md'), { path: 'x' }]],
]

test.each(ATTACKS)('an archive cannot %s', async (_what, rule, entries) => {
  const error = await room.refusal(MANIFEST_ENTRY, ...entries)
  expect(error.code).toBe('ARCHIVE_UNSAFE')
  expect(error.details).toMatchObject({ rule })
})

test('a refusal names the entry, quoted, with its control characters escaped', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'docs/../\u001b[31mevil.md' })
  expect(error.message).toContain('"docs/../\\u001b[31mevil.md"')
  expect(error.details).toMatchObject({ entry: 'docs/../\u001b[31mevil.md' })
})

test('a refusal names the archive, which identifies it among several in one command', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: '../evil.md' })
  expect(error.message).toMatch(/^"[^"]*archive-\d+\.tgz": the entry "\.\.\/evil\.md" has a "\.\." segment$/)
})

test('one bad entry at the very end refuses the whole archive', async () => {
  const fine = Array.from({ length: 50 }, (_, at) => ({ path: `docs/${at}.md`, body: 'text' }))
  expect((await room.refusal(MANIFEST_ENTRY, ...fine, { path: '../evil.md' })).code).toBe('ARCHIVE_UNSAFE')
})

test('a comment in an extended header that one reader uses as a name is refused', async () => {
  const remark = Buffer.concat([Buffer.from('x\n'), paxRecord('path', '../evil.md')])
  const error = await room.refusal(MANIFEST_ENTRY, pax({ comment: remark }), { path: 'fine.md', body: 'ok' })
  expect(error).toMatchObject({ code: 'ARCHIVE_UNSAFE', details: { rule: 'second-reader', entry: 'fine.md' } })
})

test('a regular file cannot carry the target of a link', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'a.md', link: '/etc/passwd' })
  expect(error.code).toBe('ARCHIVE_CORRUPT')
})

test.each([
  ['longer than the header itself', Buffer.from('999 path=../evil\n')],
  ['shorter than the record', Buffer.from('5 path=../evil\n')],
  ['not a number', Buffer.from('xx path=../evil\n')],
  ['zero', Buffer.from('0 path=../evil\n')],
  ['without a line end behind it', Buffer.from('12 path=evil')],
])('an extended header whose length is %s is refused', async (_what, body) => {
  const error = await room.refusal(MANIFEST_ENTRY, tarEntry({ path: 'PaxHeader', flag: 'x', body }), { path: 'x' })
  expect(error.code).toBe('ARCHIVE_CORRUPT')
})

test.each(['-1', '1e3', '0x10', ' 5', '9'.repeat(20), ''])(
  'an extended header cannot say the size is %j',
  async (size) => {
    const error = await room.refusal(MANIFEST_ENTRY, pax({ size }), { path: 'x', body: 'hello' })
    expect(error.code).toBe('ARCHIVE_CORRUPT')
  },
)
