import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { expect, test } from 'vitest'
import { bundleDigest } from '../../src/bundle/digest.ts'
import { hashTree } from '../../src/bundle/hash-tree.ts'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { modesBelow, pathsOf, useBundleFixture } from '../helpers/bundle-fixture.ts'
import { longName, MANIFEST_ENTRY, pax, tar, TAR_END, tarEntry, type TarEntry, tgz } from '../helpers/tar.ts'

const MIB = 1024 * 1024
const room = useBundleFixture()
const read = (dir: string, path: string): string => fs.readFileSync(join(dir, path), 'utf8')

test('files are written byte for byte, with their hashes, sorted by the bytes of their paths', async () => {
  const content = Buffer.from([0, 13, 10, 255, 0x1b])
  const { dir, files, manifest } = await room.stageArchive(
    tgz({ path: 'z.bin', body: content }, { path: 'a/b.md', body: 'text' }, { path: 'a.md', body: '' }, MANIFEST_ENTRY),
  )
  expect(pathsOf(files)).toEqual(['a.md', 'a/b.md', 'capability.json', 'z.bin'])
  expect(fs.readFileSync(join(dir, 'z.bin'))).toEqual(content)
  expect(files[3]).toEqual({
    path: 'z.bin',
    size: 5,
    executable: false,
    sha512: createHash('sha512').update(content).digest('hex'),
    shebang: false,
  })
  expect(Buffer.from(manifest).toString()).toBe(MANIFEST_ENTRY.body)
})

test('only the owner-executable bit is kept: no setuid, no group write, whatever the umask', async () => {
  const archive = tgz(
    MANIFEST_ENTRY,
    { path: 'bin/', flag: '5', mode: 0o7777 },
    { path: 'bin/run', mode: 0o4755, body: 'x' },
    { path: 'bin/odd', mode: 0o066 },
    { path: 'bin/exec-only', mode: 0o100 },
    { path: 'bin/none', mode: 0 },
  )
  for (const umask of [0o000, 0o027, 0o777]) {
    const before = process.umask(umask)
    const { dir } = await room.stageArchive(archive).finally(() => process.umask(before))
    expect(modesBelow(dir)).toEqual([
      'bin 755',
      'bin/exec-only 755',
      'bin/none 644',
      'bin/odd 644',
      'bin/run 755',
      'capability.json 644',
    ])
    expect(fs.statSync(dir).mode & 0o7777).toBe(0o755)
  }
})

test('a declared hook script that starts with #! becomes executable, and no other file does', async () => {
  const manifest = JSON.stringify({
    id: 'demo',
    hooks: [{ script: 'hooks/a.sh' }, { script: 'hooks/b.js' }, { script: 7 }, null],
  })
  const { dir, files } = await room.stageArchive(
    tgz(
      { path: 'hooks/a.sh', body: '#!/bin/sh\n' },
      { path: 'hooks/b.js', body: 'no shebang' },
      { path: 'hooks/c.sh', body: '#!/bin/sh\n' },
      { path: 'hooks/d.sh', body: '#' },
      { path: 'capability.json', body: manifest },
    ),
  )
  expect(modesBelow(dir).filter((line) => line.endsWith('755'))).toEqual(['hooks 755', 'hooks/a.sh 755'])
  expect(files.filter((file) => file.executable).map((file) => file.path)).toEqual(['hooks/a.sh'])
  expect(files.filter((file) => file.shebang).map((file) => file.path)).toEqual(['hooks/a.sh', 'hooks/c.sh'])
})

test.each(['not json', '[]', 'null', '{"hooks":{}}', '{"hooks":[{"script":"__proto__"}]}', '\ufeff{"hooks":null}'])(
  'a manifest that reads %j declares no hook when it is staged',
  async (body) => {
    const { files } = await room.stageArchive(
      tgz({ path: 'capability.json', body }, { path: 'a.sh', body: '#!/bin/sh' }),
    )
    expect(files.some((file) => file.executable)).toBe(false)
  },
)

test('folders without files are not part of a bundle', async () => {
  const { dir } = await room.stageArchive(
    tgz(MANIFEST_ENTRY, { path: 'empty/', flag: '5' }, { path: 'a/b/', flag: '5' }),
  )
  expect(fs.readdirSync(dir)).toEqual(['capability.json'])
})

const ACCEPTED: readonly (readonly [string, readonly (TarEntry | Buffer)[], string])[] = [
  [
    'a name in an extended header',
    [pax({ path: `docs/${'n'.repeat(150)}.md` }), { path: 'short', body: 'ok' }],
    `docs/${'n'.repeat(150)}.md`,
  ],
  [
    'a GNU long name',
    [longName(`docs/${'n'.repeat(150)}.md`), { path: 'short', body: 'ok' }],
    `docs/${'n'.repeat(150)}.md`,
  ],
  [
    'a long name that two headers agree on',
    [longName('docs/n.md'), pax({ path: 'docs/n.md' }), { path: 'x', body: 'ok' }],
    'docs/n.md',
  ],
  ['a size in an extended header', [pax({ size: '2' }), { path: 'docs/n.md', body: 'ok', size: 0 }], 'docs/n.md'],
  ['a name that fills its field', [{ path: `docs/${'n'.repeat(95)}`, body: 'ok' }], `docs/${'n'.repeat(95)}`],
  [
    'a prefix that fills its field',
    [{ path: 'n.md', body: 'ok', patch: (h) => void h.write('p'.repeat(155), 345) }],
    `${'p'.repeat(155)}/n.md`,
  ],
  [
    'times after the prefix',
    [{ path: 'n.md', body: 'ok', patch: (h) => void (h.write('docs', 345), h.write('14000000000', 476)) }],
    'docs/n.md',
  ],
  [
    'a GNU header',
    [{ path: 'docs/n.md', body: 'ok', patch: (h) => void (h.write('ustar  \0', 257), h.write('14000000000', 345)) }],
    'docs/n.md',
  ],
  [
    'a header from before ustar',
    [{ path: 'docs/n.md', body: 'ok', flag: '\0', patch: (h) => void h.fill(0, 257) }],
    'docs/n.md',
  ],
  ['a contiguous file', [{ path: 'docs/n.md', body: 'ok', flag: '7' }], 'docs/n.md'],
  [
    'a size in base 256',
    [{ path: 'docs/n.md', body: 'ok', patch: (h) => void (h.fill(0, 124, 136), (h[124] = 0x80), (h[135] = 2)) }],
    'docs/n.md',
  ],
  [
    'numbers padded with blanks',
    [{ path: 'docs/n.md', body: 'ok', patch: (h) => void h.write('         2 \0', 124) }],
    'docs/n.md',
  ],
  [
    'the commit that git writes in a global header',
    [pax({ comment: 'd670460b4b4aece5915caf5c68d12f560a9fe3e4' }, 'g'), { path: 'docs/n.md', body: 'ok' }],
    'docs/n.md',
  ],
  [
    'attributes with line ends and zeros in them',
    [pax({ 'SCHILY.xattr.user.x': Buffer.from([0, 10, 255, 10]) }), { path: 'docs/n.md', body: 'ok' }],
    'docs/n.md',
  ],
  [
    'an old folder, marked by its slash alone',
    [
      { path: 'docs/', flag: '0' },
      { path: 'docs/n.md', body: 'ok' },
    ],
    'docs/n.md',
  ],
  [
    'a folder that says a size',
    [
      { path: 'docs/', flag: '5', size: 4096 },
      { path: 'docs/n.md', body: 'ok' },
    ],
    'docs/n.md',
  ],
]

test.each(ACCEPTED)('%s is accepted', async (_what, entries, path) => {
  const { dir, files } = await room.stageArchive(tgz(MANIFEST_ENTRY, ...entries))
  expect(pathsOf(files)).toContain(path)
  expect(read(dir, path)).toBe('ok')
})

test.each([
  ['zero blocks after the end', gzipSync(Buffer.concat([tar(MANIFEST_ENTRY), Buffer.alloc(10_240)]))],
  ['zeros that fill no block after the end', gzipSync(Buffer.concat([tar(MANIFEST_ENTRY), Buffer.alloc(100)]))],
  ['zeros after the gzip stream', Buffer.concat([tgz(MANIFEST_ENTRY), Buffer.alloc(300_000)])],
  ['several gzip members', Buffer.concat([gzipSync(tarEntry(MANIFEST_ENTRY)), gzipSync(TAR_END)])],
  [
    'gzip members cut in the middle of a block',
    Buffer.concat([0, 100, 1536].map((at, i, cuts) => gzipSync(tar(MANIFEST_ENTRY).subarray(at, cuts[i + 1])))),
  ],
])('an archive with %s is accepted', async (_what, bytes) => {
  expect(pathsOf((await room.stageArchive(bytes)).files)).toEqual(['capability.json'])
})

test.each([true, false])('an archive packed by node-tar is accepted (portable: %s)', async (portable) => {
  const long = `docs/${'n'.repeat(120)}/${'m'.repeat(120)}.md`
  const source = room.folder('cap', { 'capability.json': '{}', [long]: 'long', 'docs/\u00e9.md': 'e' })
  const file = room.path('source', 'made.tgz')
  await create({ file, cwd: source, gzip: true, portable, prefix: 'package' }, ['.'])
  const { files } = await stageBundle({ kind: 'archive', file }, { disk: realDisk, into: room.path('staged') })
  expect(pathsOf(files)).toEqual(['capability.json', long, 'docs/\u00e9.md'])
})

test('an archive made by git archive is accepted', async () => {
  const source = room.folder('repo', { 'capability.json': '{}', 'hooks/run.sh': '#!/bin/sh\n' })
  fs.chmodSync(join(source, 'hooks/run.sh'), 0o755)
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: source,
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  const { files } = await room.stageArchive(git('archive', '--format=tar.gz', '--prefix=repo-1.0.0/', 'HEAD'))
  expect(files.map((file) => [file.path, file.executable])).toEqual([
    ['capability.json', false],
    ['hooks/run.sh', true],
  ])
})

test('node_modules is excluded with a note, and .git without one', async () => {
  const { files, notes } = await room.stageArchive(
    tgz(
      MANIFEST_ENTRY,
      { path: '.git/config', body: 'x' },
      { path: 'hooks/node_modules/a.js', body: 'x' },
      { path: '.DS_Store' },
    ),
  )
  expect(pathsOf(files)).toEqual(['capability.json'])
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('node_modules')
})

/** More than the memory buffer of the check. */
const large = (...entries: readonly TarEntry[]): Buffer => {
  const random = randomBytes(6 * MIB)
  return gzipSync(
    tar(MANIFEST_ENTRY, ...[1, 2, 3].map((at) => ({ path: `big/${at}.bin`, body: random })), ...entries),
    {
      level: 1,
    },
  )
}

test('a large archive gives the same tree as a small one', async () => {
  const bytes = large({ path: 'hooks/a.sh', mode: 0o755, body: '#!/bin/sh\n' })
  const { dir, files, manifest } = await room.stageArchive(bytes)
  expect(pathsOf(files)).toEqual(['big/1.bin', 'big/2.bin', 'big/3.bin', 'capability.json', 'hooks/a.sh'])
  for (const file of files) {
    expect(
      createHash('sha512')
        .update(fs.readFileSync(join(dir, file.path)))
        .digest('hex'),
    ).toBe(file.sha512)
  }
  expect(bundleDigest(files, manifest)).toMatch(/^sha512-/)
})

test('a bad entry at the end of a large archive leaves nothing behind', async () => {
  expect((await room.refusalOf(room.stageArchive(large({ path: '../evil' })))).code).toBe('ARCHIVE_UNSAFE')
})

/** A disk that runs a callback before the first file of the bundle is written. */
const beforeWriting = (happen: () => void): Disk => {
  let isWriting = false
  return {
    ...realDisk,
    openSync(path, flags, mode) {
      // Files with numbers for names hold the content until everything is checked.
      const writes = flags === 'wx' && !/^\d+$/.test(basename(path))
      if (writes && !isWriting) happen()
      isWriting ||= writes
      return realDisk.openSync(path, flags, mode)
    },
  }
}

test('the bytes that were checked are the bytes written, even if the archive changes meanwhile', async () => {
  const bytes = large()
  const swaps: readonly ((file: string) => void)[] = [
    (file) => fs.writeFileSync(file, large({ path: 'evil.sh', body: 'x' })),
    (file) => fs.rmSync(file),
  ]
  const wanted = await room.stageArchive(bytes, { into: room.path('wanted') })
  for (const [at, swap] of swaps.entries()) {
    const file = room.archive(bytes)
    const disk = beforeWriting(() => swap(file))
    const staged = await stageBundle({ kind: 'archive', file }, { disk, into: room.path(`staged-${at}`) })
    expect(staged.files).toEqual(wanted.files)
    expect(hashTree(staged.dir, realDisk).files).toEqual(wanted.files)
  }
})

test('the content of a large archive has numbers for names while it is checked, and is gone when the disk is full', async () => {
  const parent = room.path('a')
  const names: string[] = []
  const modes: number[] = []
  let writes = 0
  const disk: Disk = {
    ...realDisk,
    writeSync(fd, buffer, offset, length) {
      for (const folder of fs.readdirSync(parent)) {
        modes.push(fs.statSync(join(parent, folder)).mode & 0o777)
        names.push(...fs.readdirSync(join(parent, folder)))
      }
      writes += 1
      if (writes > 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return realDisk.writeSync(fd, buffer, offset, length)
    },
  }
  const refusal = await room.refusalOf(room.stageArchive(large(), { disk, into: join(parent, 'staged') }))
  expect(refusal.code).toBe('STATE_DISK_FULL')
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !/^\d+$/.test(name))).toEqual([])
  expect(new Set(modes)).toEqual(new Set([0o700]))
  expect(fs.existsSync(parent)).toBe(false)
})

test('nothing but the bundle is left of a large archive', async () => {
  const staged = await room.stageArchive(large(), { into: room.path('a', 'staged') })
  expect(fs.readdirSync(room.path('a'))).toEqual(['staged'])
  expect(hashTree(staged.dir, realDisk).files).toEqual(staged.files)
})

test('an archive that is replaced after it was verified is refused', async () => {
  const integrity = `sha512-${createHash('sha512').update('other bytes').digest('base64')}`
  expect((await room.refusalOf(room.stageArchive(tgz(MANIFEST_ENTRY), { integrity }))).code).toBe('INTEGRITY_MISMATCH')
  const padded = Buffer.concat([tgz(MANIFEST_ENTRY), Buffer.alloc(200_000)])
  const right = `sha512-${createHash('sha512').update(padded).digest('base64')}`
  expect((await room.stageArchive(padded, { integrity: right })).files).toHaveLength(1)
})

test('the folder to unpack into must not exist, and its contents stay', async () => {
  fs.mkdirSync(room.path('there'))
  fs.writeFileSync(room.path('there', 'mine.md'), 'mine')
  const outcome = await room
    .stageArchive(tgz(MANIFEST_ENTRY), { into: room.path('there') })
    .catch((error: unknown) => error)
  expect(outcome).toMatchObject({ code: 'STATE_CHANGED' })
  expect(fs.readdirSync(room.path('there'))).toEqual(['mine.md'])
})

test('missing parent folders are created, and removed when the bundle is refused later', async () => {
  const into = room.path('a', 'b', 'c')
  const disk: Disk = {
    ...realDisk,
    fchmodSync() {
      throw Object.assign(new Error('no'), { code: 'EIO' })
    },
  }
  await room.refusalOf(room.stageArchive(large(), { disk, into }))
  expect(fs.existsSync(room.path('a'))).toBe(false)
  await room.stageArchive(tgz(MANIFEST_ENTRY), { into })
  expect(fs.readdirSync(into)).toEqual(['capability.json'])
})

test('every failing write is reported by a code and leaves nothing behind', async () => {
  const bytes = tgz(MANIFEST_ENTRY, { path: 'docs/a.md', body: 'text' }, { path: 'run.sh', mode: 0o755, body: 'x' })
  const calls = ['openSync', 'writeSync', 'fchmodSync', 'mkdirSync', 'chmodSync'] as const
  for (const call of calls) {
    for (const [errno, code] of [
      ['ENOSPC', 'STATE_DISK_FULL'],
      ['EACCES', 'STATE_PERMISSION'],
      ['EIO', 'STATE_IO'],
    ] as const) {
      const fault = Object.assign(new Error(errno), { code: errno, syscall: call })
      const disk: Disk = {
        ...realDisk,
        [call]: (...args: unknown[]) => {
          if (call !== 'openSync' || args[1] === 'wx') throw fault
          return (realDisk.openSync as (...all: unknown[]) => number)(...args)
        },
      }
      expect((await room.refusalOf(room.stageArchive(bytes, { disk }))).code, `${call} ${errno}`).toBe(code)
    }
  }
})

test('a disk that writes one byte at a time receives every byte', async () => {
  const disk: Disk = { ...realDisk, writeSync: (fd, buffer, offset) => realDisk.writeSync(fd, buffer, offset, 1) }
  const { dir } = await room.stageArchive(tgz(MANIFEST_ENTRY, { path: 'a.md', body: 'one by one' }), { disk })
  expect(read(dir, 'a.md')).toBe('one by one')
})

test('an interruption leaves nothing behind', async () => {
  const aborted = AbortSignal.abort()
  expect((await room.refusalOf(room.stageArchive(tgz(MANIFEST_ENTRY), { signal: aborted }))).code).toBe('INTERRUPTED')
  const controller = new AbortController()
  const disk = beforeWriting(() => controller.abort())
  const staging = room.stageArchive(large(), { disk, signal: controller.signal })
  expect((await room.refusalOf(staging)).code).toBe('INTERRUPTED')
})

test('every opened file is closed again, whatever happens', async () => {
  const open = new Set<number>()
  const disk: Disk = {
    ...realDisk,
    openSync(path, flags, mode) {
      const fd = realDisk.openSync(path, flags, mode)
      open.add(fd)
      return fd
    },
    closeSync(fd) {
      realDisk.closeSync(fd)
      open.delete(fd)
    },
  }
  const full: Disk = {
    ...disk,
    writeSync() {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    },
  }
  await room.refusalOf(room.stageArchive(tgz(MANIFEST_ENTRY, { path: '../evil' }), { disk }))
  await room.refusalOf(room.stageArchive(Buffer.from('no gzip'), { disk }))
  await room.refusalOf(room.stageArchive(tgz(MANIFEST_ENTRY), { disk: full }))
  await room.refusalOf(room.stageArchive(large({ path: '../evil' }), { disk }))
  await room.stageArchive(tgz(MANIFEST_ENTRY), { disk })
  expect([...open]).toEqual([])
})
