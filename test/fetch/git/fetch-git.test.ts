import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StagedBundle } from '../../../src/bundle/bundle.ts'
import { bundleDigest } from '../../../src/bundle/digest.ts'
import { stageBundle } from '../../../src/bundle/stage-bundle.ts'
import type { FetchResult } from '../../../src/fetch/fetcher.ts'
import { gitError } from '../../../src/fetch/git/git-error.ts'
import { realDisk } from '../../../src/platform/disk.ts'
import { failureOf, type FetchFixtureOptions, useFetchFixture } from '../../helpers/fetch-fixture.ts'
import { makeRepository, type Repository } from '../../helpers/git.ts'

const room = useFetchFixture()
let repo: Repository
let staged = 0
beforeEach(() => {
  repo = makeRepository(room.at('repo'))
})

const stage = (fetched: FetchResult, id: string | null = null): Promise<StagedBundle> =>
  stageBundle(fetched.source, { into: room.at(`staged-${staged++}`), disk: realDisk, path: fetched.path, id })
const install = async (text: string, choices: FetchFixtureOptions = {}) => {
  const fetched = await room.fetch(text, choices)
  const bundle = await stage(fetched)
  return { ...fetched, bundle, text: (path: string) => fs.readFileSync(join(bundle.dir, path), 'utf8') }
}
const manifest = (note: string): Record<string, string> => ({ 'capability.json': JSON.stringify({ id: 'demo', note }) })
const noteOf = (bundle: { text(path: string): string }): string =>
  (JSON.parse(bundle.text('capability.json')) as { note: string }).note
/** Folders of the cache that contain a commit, complete or not. */
const cached = (): string[] => {
  const root = room.at('cache/git')
  return fs.existsSync(root)
    ? fs
        .readdirSync(root)
        .flatMap((url) => fs.readdirSync(join(root, url)).filter((name) => name !== 'refs' && !name.startsWith('.')))
    : []
}

describe('a ref', () => {
  let first: string
  let second: string
  beforeEach(() => {
    first = repo.commit(manifest('first'))
    repo.tag('v1.0.0')
    second = repo.commit(manifest('second'))
    repo.tag('v1.1.0', 'annotated')
    repo.commit(manifest('third'))
    repo.tag('v2.0.0-rc.1')
    repo.git('branch', 'feature/with/slashes', 'v1.0.0')
    repo.commit(manifest('head'))
  })

  test.each([
    ['#v1.0.0', 'first', 'v1.0.0'],
    ['#tag:v1.0.0', 'first', 'v1.0.0'],
    ['#v1.1.0', 'second', 'v1.1.0'],
    ['#tag:v1.1.0', 'second', 'v1.1.0'],
    ['', 'second', 'v1.1.0'],
    ['#semver:^1.0.0', 'second', 'v1.1.0'],
    ['#semver:1.0.x', 'first', 'v1.0.0'],
    ['#semver:>=2.0.0-rc.0', 'third', 'v2.0.0-rc.1'],
    ['#main', 'head', undefined],
    ['#branch:main', 'head', undefined],
    ['#feature/with/slashes', 'first', undefined],
    ['#branch:feature/with/slashes', 'first', undefined],
  ])('%s is the commit it names', async (ref, note, tag) => {
    const bundle = await install(repo.url + ref)
    expect(noteOf(bundle)).toBe(note)
    expect(bundle.resolved).toEqual({
      kind: 'git',
      url: `file://${repo.dir}`,
      commit: repo.git('rev-parse', `${tag ?? (ref.includes('feature') ? 'v1.0.0' : 'main')}^{commit}`),
      ...(tag === undefined ? {} : { tag }),
    })
    expect([bundle.statedIntegrities, bundle.notes]).toEqual([[], []])
  })

  test('that is the id of a commit is exactly that commit, with and without its prefix', async () => {
    expect(noteOf(await install(`${repo.url}#${first}`))).toBe('first')
    expect((await install(`${repo.url}#sha:${second}`)).resolved).toEqual({
      kind: 'git',
      url: `file://${repo.dir}`,
      commit: second,
    })
  })

  test('that is the id of a tag object is not a commit', async () => {
    const error = await room.failure(`${repo.url}#${repo.git('rev-parse', 'refs/tags/v1.1.0')}`)
    expect(error).toMatchObject({ code: 'FETCH_NO_REF', message: expect.stringContaining('id of a tag') })
  })

  test('that is a tag and a branch is the tag; both can be specified', async () => {
    repo.git('branch', 'both', first)
    repo.git('tag', 'both', second)
    expect(noteOf(await install(`${repo.url}#both`))).toBe('second')
    expect(noteOf(await install(`${repo.url}#branch:both`))).toBe('first')
  })

  test('that is unknown is answered with the nearest and the newest', async () => {
    const error = await room.failure(`${repo.url}#v1.1.1`)
    expect([error.code, error.exitStatus]).toEqual(['FETCH_NO_REF', 5])
    expect(error.message).toContain('no tag or branch "v1.1.1"')
    expect(error.hint).toMatch(/did you mean #v1\.[01]\.0\?.*v2\.0\.0-rc\.1, v1\.1\.0, v1\.0\.0/)
    expect((await room.failure(`${repo.url}#tag:main`)).message).toContain('no tag "main"')
    expect((await room.failure(`${repo.url}#branch:v1.0.0`)).message).toContain('no branch "v1.0.0"')
    expect((await room.failure(`${repo.url}#${first.slice(0, 7)}`)).hint).toContain('40 hex digits')
    expect(await room.failure(`${repo.url}#semver:^9`)).toMatchObject({
      code: 'FETCH_NO_VERSION',
      hint: expect.stringContaining('v2.0.0-rc.1, v1.1.0'),
    })
    expect(cached()).toEqual([])
  })

  test('that is an unknown commit is reported as such', async () => {
    expect(await room.failure(`${repo.url}#${'0123456789'.repeat(4)}`)).toMatchObject({ code: 'FETCH_NO_REF' })
    expect(cached()).toEqual([])
  })

  test('is requested each time, so a branch that moved never comes from the cache', async () => {
    await install(`${repo.url}#main`)
    repo.commit(manifest('moved'))
    expect(noteOf(await install(`${repo.url}#main`))).toBe('moved')
    repo.git('tag', '-f', 'v1.0.0')
    expect(noteOf(await install(`${repo.url}#v1.0.0`))).toBe('moved')
  })
})

describe('without a ref', () => {
  test('the default branch is used if no tag is a version, and this is reported', async () => {
    repo.commit(manifest('head'))
    for (const tag of ['nightly', '1.0', 'release-1.0.0', 'v1', 'v01.2.3', 'v1.0.0-beta.1']) repo.tag(tag)
    const bundle = await install(repo.url)
    expect(noteOf(bundle)).toBe('head')
    expect(bundle.resolved).toEqual({ kind: 'git', url: `file://${repo.dir}`, commit: repo.git('rev-parse', 'HEAD') })
    expect(bundle.notes).toEqual([expect.stringContaining('default branch "main"')])
  })

  test('versions are compared as versions, with or without a v', async () => {
    for (const tag of ['v1.9.0', '1.10.0', 'v1.2.0', 'v2.0.0-rc.1', 'not-a-version']) {
      repo.commit(manifest(tag))
      repo.tag(tag)
    }
    expect((await install(repo.url)).resolved.tag).toBe('1.10.0')
  })

  test('an empty repository and one without a default branch each have their error', async () => {
    expect(await room.failure(repo.url)).toMatchObject({ code: 'FETCH_NO_REF', hint: expect.stringContaining('empty') })
    repo.commit(manifest('x'))
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/gone')
    expect(await room.failure(repo.url)).toMatchObject({ code: 'FETCH_NO_REF', hint: expect.stringContaining('main') })
  })
})

describe('a subfolder', () => {
  beforeEach(() => {
    const files = {
      'capabilities/notes/capability.json': '{"id":"notes","note":"notes"}',
      'capabilities/notes/hooks/run.sh': '#!/bin/sh\nexit 0\n',
      'capabilities/other/capability.json': '{"id":"other","note":"other"}',
      'big/file.bin': Buffer.alloc(300_000, 'x').toString(),
      'link-elsewhere': '-> /etc/passwd',
    }
    repo.commit(files)
    for (const tag of ['v1.0.0', 'notes@1.4.0', 'notes-v1.3.0', 'other@9.0.0', 'notes@2.0.0-rc.1']) repo.tag(tag)
  })

  test('is all that is fetched, and is recorded', async () => {
    const fetched = await install(`${repo.url}#v1.0.0&path:capabilities/notes`)
    expect(fetched.path).toBe('capabilities/notes')
    expect(fetched.resolved.path).toBe('capabilities/notes')
    expect(fetched.bundle.files.map(({ path, executable }) => [path, executable])).toEqual([
      ['capability.json', false],
      ['hooks/run.sh', true],
    ])
    const [dir = ''] = cached()
    const packs = fs.readdirSync(
      join(room.at('cache/git'), fs.readdirSync(room.at('cache/git'))[0] ?? '', dir, 'objects/pack'),
    )
    expect(packs.some((name) => name.endsWith('.promisor'))).toBe(true)
    const missing = repo.git('rev-parse', 'HEAD:big/file.bin')
    expect(() =>
      repo.git(
        '--git-dir',
        join(room.at('cache/git'), fs.readdirSync(room.at('cache/git'))[0] ?? '', dir),
        '-c',
        'protocol.allow=never',
        'cat-file',
        '-e',
        missing,
      ),
    ).toThrow()
  })

  test('without a ref also matches the tags of its own name', async () => {
    expect((await install(`${repo.url}#path:capabilities/notes`)).resolved.tag).toBe('notes@1.4.0')
    expect((await install(`${repo.url}#semver:<1.4&path:capabilities/notes`)).resolved.tag).toBe('notes-v1.3.0')
    expect((await install(`${repo.url}#path:capabilities/other`)).resolved.tag).toBe('other@9.0.0')
    expect((await room.fetch(repo.url)).resolved.tag).toBe('v1.0.0')
  })

  test('that does not exist is answered with those that do', async () => {
    const fetched = await room.fetch(`${repo.url}#v1.0.0&path:capabilities/nots`)
    expect(await failureOf(stage(fetched))).toMatchObject({
      code: 'ARCHIVE_NO_BUNDLE',
      hint: expect.stringContaining('capabilities/notes, capabilities/other'),
    })
  })

  test('is selected by the id if the caller knows it, and must be selected if there are several', async () => {
    const fetched = await room.fetch(`${repo.url}#v1.0.0`)
    expect(await failureOf(stage(fetched))).toMatchObject({ code: 'ARCHIVE_AMBIGUOUS' })
    expect((await stage(fetched, 'other')).files.map(({ path }) => path)).toEqual(['capability.json'])
  })

  test('is fetched completely from a server that does not filter', async () => {
    repo.git('config', 'uploadpack.allowFilter', 'false')
    expect((await install(`${repo.url}#v1.0.0&path:capabilities/notes`)).bundle.files).toHaveLength(2)
    expect((await install(`${repo.url}#v1.0.0&path:capabilities/notes`, { offline: true })).bundle.files).toHaveLength(
      2,
    )
  })
})

describe('content', () => {
  test('is byte for byte the committed one: no filter, attribute, line end or ident applies', async () => {
    const bytes = Buffer.from('a\r\nb\n$Id$ é\u0000\u0001')
    repo.git('config', 'core.autocrlf', 'false')
    repo.commit({ ...manifest('x'), 'data.txt': bytes, 'sub/empty': '' })
    fs.writeFileSync(
      join(repo.dir, '.gitattributes'),
      '*.txt text eol=crlf ident export-ignore filter=evil working-tree-encoding=UTF-16\n',
    )
    repo.git('config', 'filter.evil.smudge', `touch ${room.at('ran')}`)
    repo.git('add', '.gitattributes')
    repo.git('commit', '-q', '-m', 'attributes')
    fs.writeFileSync(
      room.at('home/.gitconfig'),
      `[filter "evil"]\n\tsmudge = touch ${room.at('ran')}\n[core]\n\tautocrlf = true\n`,
    )
    const { bundle } = await install(`${repo.url}#main`)
    expect(fs.readFileSync(join(bundle.dir, 'data.txt'))).toEqual(bytes)
    expect(fs.readFileSync(join(bundle.dir, 'sub/empty'))).toEqual(Buffer.alloc(0))
    expect(fs.existsSync(room.at('ran'))).toBe(false)
  })

  test('has the digest of the same files in a folder', async () => {
    repo.commit({
      ...manifest('x'),
      'é/ü.md': 'x',
      'a -> b.md': 'y',
      'run.sh': '#!/bin/sh\n',
      'big.bin': Buffer.alloc(3_000_000, 7),
    })
    const git = (await install(`${repo.url}#main`)).bundle
    fs.rmSync(join(repo.dir, '.git'), { recursive: true })
    const folder = await stageBundle({ kind: 'folder', dir: repo.dir }, { into: room.at('folder'), disk: realDisk })
    expect(git.files).toEqual(folder.files)
    expect(bundleDigest(git.files, git.manifest)).toBe(bundleDigest(folder.files, folder.manifest))
  })

  test('of a repository never includes .git or node_modules, and this is reported', async () => {
    repo.commit({ ...manifest('x'), 'node_modules/a/index.js': '1', 'lib/node_modules/b.js': '1' })
    const { bundle } = await install(`${repo.url}#main`)
    expect(bundle.files.map(({ path }) => path)).toEqual(['capability.json'])
    expect(bundle.notes).toEqual([expect.stringContaining('node_modules')])
  })

  test('of submodules is excluded, and this is reported', async () => {
    const inner = makeRepository(room.at('inner'))
    inner.commit({ 'x.md': 'x' })
    repo.commit(manifest('x'))
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.dir, 'vendor')
    repo.git('commit', '-q', '-m', 'submodule')
    const { bundle, notes } = await install(`${repo.url}#main`)
    expect(bundle.files.map(({ path }) => path)).toEqual(['.gitmodules', 'capability.json'])
    expect(notes).toEqual(['"vendor" is a submodule and is not installed'])
  })

  test.each([
    ['a link', { link: '-> README.md' }, 'symbolic link'],
    ['a name that Windows keeps', { 'sub/aux.md': 'x' }, 'Windows'],
    ['two names that differ in case only', { 'A.md': 'x', 'a.md': 'y' }, 'same path'],
    ['a backslash', { 'a\\b': 'x' }, 'backslash'],
    ['a control character', { 'a\nb': 'x' }, 'control'],
  ])('with %s is refused, naming it', async (_what, files, words) => {
    repo.commit({ ...manifest('x'), ...files })
    const fetched = await room.fetch(`${repo.url}#main`)
    expect(await failureOf(stage(fetched))).toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: expect.stringContaining(words),
    })
  })

  test('with a name that is not UTF-8 is refused', async () => {
    repo.commit(manifest('x'))
    const blob = repo.git('hash-object', '-w', 'capability.json')
    const index = Buffer.concat([Buffer.from(`100644 ${blob}\t`), Buffer.from([0x61, 0xff]), Buffer.from('\n')])
    fs.writeFileSync(room.at('index-info'), index)
    const { execFileSync } = await import('node:child_process')
    execFileSync('git', ['update-index', '--index-info'], { cwd: repo.dir, input: index })
    repo.git('commit', '-q', '-m', 'odd')
    expect(await failureOf(stage(await room.fetch(`${repo.url}#main`)))).toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: expect.stringContaining('UTF-8'),
    })
  })

  test('larger than the limit of a bundle is refused by its size alone', async () => {
    repo.commit({ ...manifest('x'), 'large.bin': Buffer.alloc(64 * 1024 * 1024 + 1) })
    expect(await failureOf(stage(await room.fetch(`${repo.url}#main`)))).toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
  })

  test('of two capabilities, of none, or below capabilities/ is distinguished', async () => {
    repo.commit({ 'README.md': 'x' })
    expect(await failureOf(stage(await room.fetch(`${repo.url}#main`)))).toMatchObject({ code: 'ARCHIVE_NO_BUNDLE' })
    repo.commit({ 'capabilities/one/capability.json': '{}' })
    expect((await install(`${repo.url}#main`)).bundle.files.map(({ path }) => path)).toEqual(['capability.json'])
  })
})

describe('the cache', () => {
  test('answers offline for a commit or a tag that was fetched, and for no branch', async () => {
    const commit = repo.commit(manifest('first'))
    repo.tag('v1.0.0')
    for (const ref of [`#${commit}`, '#v1.0.0', '#main', '']) {
      expect(await room.failure(repo.url + ref, { offline: true })).toMatchObject({
        code: 'FETCH_OFFLINE',
        exitStatus: 5,
      })
    }
    await install(`${repo.url}#v1.0.0`)
    fs.renameSync(repo.dir, room.at('gone'))
    fs.mkdirSync(repo.dir)
    for (const ref of [`#${commit}`, '#v1.0.0', '#tag:v1.0.0']) {
      expect(noteOf(await install(repo.url + ref, { offline: true })), ref).toBe('first')
    }
    for (const ref of ['#main', '', '#semver:^1', '#v2.0.0']) {
      expect(await room.failure(repo.url + ref, { offline: true }), ref).toMatchObject({ code: 'FETCH_OFFLINE' })
    }
    expect(noteOf(await install(`${repo.url}#${commit}`))).toBe('first')
  })

  test('holds each commit once, and nothing partial', async () => {
    repo.commit(manifest('first'))
    await Promise.all([install(`${repo.url}#main`), install(`${repo.url}#main`), install(`${repo.url}#branch:main`)])
    expect(cached()).toEqual([repo.git('rev-parse', 'HEAD')])
  })

  test('that was damaged is detected, fetched again, and offline counts as missing', async () => {
    const commit = repo.commit({ ...manifest('first'), 'a/capability.json': '{}' })
    const damages: readonly ((pack: string) => void)[] = [
      (pack) => fs.truncateSync(pack, 40),
      (pack) => fs.writeFileSync(pack, fs.readFileSync(pack).fill(0x41, 20, 40)),
      (pack) => fs.rmSync(pack),
      (pack) => fs.rmSync(pack.replace(/pack$/, 'idx')),
    ]
    for (const [at, damage] of damages.entries()) {
      const text = `${repo.url}#${commit}${at % 2 === 0 ? '' : '&path:a'}`
      const damagePacks = (): void => {
        const packs = fs.readdirSync(room.at('cache/git'), { recursive: true, encoding: 'utf8' })
        for (const name of packs.filter((each) => each.endsWith('.pack'))) {
          fs.chmodSync(room.at('cache/git', name), 0o644)
          damage(room.at('cache/git', name))
        }
      }
      await room.fetch(text)
      damagePacks()
      expect(await room.failure(text, { offline: true }), `${at}`).toMatchObject({ code: 'FETCH_OFFLINE' })
      await room.fetch(text)
      damagePacks()
      expect((await install(text)).bundle.files.length).toBeGreaterThan(0)
    }
  })

  test('serves a subfolder from the whole commit', async () => {
    const commit = repo.commit({ 'a/capability.json': '{}' })
    await room.fetch(`${repo.url}#${commit}`)
    expect((await install(`${repo.url}#${commit}&path:a`, { offline: true })).bundle.files).toHaveLength(1)
    expect(cached()).toEqual([commit])
  })
})

/** Every file of a cached commit. */
const filesOf = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe('a commit in the cache that lost its bytes in a power loss', () => {
  const damages: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['all of them', () => Buffer.alloc(0)],
    ['to zeros', (bytes) => Buffer.alloc(bytes.length)],
    ['from the middle on', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ]
  test.each(damages)('%s, in any of its files, is fetched again', async (_words, damage) => {
    const commit = repo.commit(manifest('kept'))
    const spec = `${repo.url}#${commit}`
    await install(spec)
    const [url = ''] = fs.readdirSync(room.at('cache/git'))
    const files = filesOf(room.at(`cache/git/${url}`))
    expect(files.length).toBeGreaterThan(4)
    for (const file of files) {
      fs.chmodSync(file, 0o600)
      fs.writeFileSync(file, damage(fs.readFileSync(file)))
      expect(noteOf(await install(spec)), file).toBe('kept')
    }
    expect(noteOf(await install(spec, { offline: true }))).toBe('kept')
    expect(cached()).toEqual([commit])
  })

  test('is not available offline, and stays for git to check', async () => {
    const commit = repo.commit(manifest('kept'))
    await install(`${repo.url}#${commit}`)
    const [url = ''] = fs.readdirSync(room.at('cache/git'))
    for (const file of filesOf(room.at(`cache/git/${url}`)).filter((each) => each.endsWith('.pack'))) {
      fs.chmodSync(file, 0o600)
      fs.writeFileSync(file, '')
    }
    expect(await room.failure(`${repo.url}#${commit}`, { offline: true })).toMatchObject({ code: 'FETCH_OFFLINE' })
    expect(cached()).toEqual([commit])
  })
})

describe('git itself', () => {
  test('that is not on the PATH is one clear error', async () => {
    repo.commit(manifest('x'))
    const error = await room.failure(`${repo.url}#main`, { env: { PATH: room.at('home') } })
    expect(error).toMatchObject({ code: 'FETCH_NO_GIT', exitStatus: 5, hint: expect.stringContaining('install git') })
    expect(error.message).not.toContain('\n')
    expect(cached()).toEqual([])
  })

  test('ignores the variables of a surrounding repository', async () => {
    const other = makeRepository(room.at('other'))
    other.commit({ 'x.md': 'x' })
    repo.commit(manifest('right'))
    const before = other.git('status', '--porcelain') + other.git('for-each-ref')
    const env = {
      GIT_DIR: join(other.dir, '.git'),
      GIT_WORK_TREE: other.dir,
      GIT_INDEX_FILE: join(other.dir, '.git/index'),
      GIT_OBJECT_DIRECTORY: room.at('objects'),
      GIT_NAMESPACE: 'odd',
      GIT_SHALLOW_FILE: room.at('shallow'),
      GIT_TRACE: room.at('trace'),
    }
    expect(noteOf(await install(`${repo.url}#main`, { env }))).toBe('right')
    expect(other.git('status', '--porcelain') + other.git('for-each-ref')).toBe(before)
    expect(fs.existsSync(room.at('trace'))).toBe(false)
  })

  test('runs no hook of the user, a template or a repository', async () => {
    repo.commit(manifest('x'))
    const hooks = room.at('hooks')
    fs.mkdirSync(hooks)
    for (const name of ['reference-transaction', 'post-checkout', 'post-index-change']) {
      fs.writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${room.at('ran')}\n`, { mode: 0o755 })
    }
    fs.cpSync(hooks, join(repo.dir, '.git/hooks'), { recursive: true })
    fs.writeFileSync(room.at('home/.gitconfig'), `[core]\n\thooksPath = ${hooks}\n[init]\n\ttemplateDir = ${hooks}\n`)
    await install(`${repo.url}#main`)
    expect(fs.existsSync(room.at('ran'))).toBe(false)
  })

  test('is quoted when it fails', async () => {
    fs.mkdirSync(room.at('plain'))
    const error = await room.failure(`git+file://${room.at('plain')}#main`)
    expect(error).toMatchObject({
      code: 'FETCH_NOT_FOUND',
      message: expect.stringContaining('does not appear to be a git repository'),
    })
    expect(await room.failure(`file://${room.at('repp.git')}#main`)).toMatchObject({ code: 'FETCH_NOT_FOUND' })
    expect(cached()).toEqual([])
  })

  test('ends with its child processes on Ctrl-C, and leaves nothing behind', async () => {
    const controller = new AbortController()
    const bin = room.at('bin')
    fs.mkdirSync(bin)
    fs.writeFileSync(join(bin, 'git'), `#!/bin/sh\nsleep 600 &\necho $! > ${room.at('pid')}\nwait\n`, { mode: 0o755 })
    repo.commit(manifest('x'))
    const work = room.failure(`${repo.url}#main`, {
      signal: controller.signal,
      env: { PATH: `${bin}:${process.env['PATH']}` },
    })
    while (!fs.existsSync(room.at('pid')) || fs.readFileSync(room.at('pid'), 'utf8') === '')
      await new Promise((r) => setTimeout(r, 20))
    controller.abort()
    expect((await work).code).toBe('INTERRUPTED')
    expect(fs.existsSync(room.at('cache'))).toBe(false)
    const pid = Number(fs.readFileSync(room.at('pid'), 'utf8'))
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  const isRunning = (pid: number): boolean => {
    try {
      return !/^\d+ \(.*\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
})

test.each([
  ["fatal: detected dubious ownership in repository at '/x/r.git'", 'FETCH_AUTH', 'safe.directory'],
  ["error: unknown option `no-write-fetch-head'", 'FETCH_GIT', 'update git'],
  ['fatal: unable to access: The requested URL returned error: 503', 'FETCH_HTTP', 'later'],
])('the git error (%s) has its hint', (stating, code, hint) => {
  expect(gitError(stating, 'file:///x/r.git')).toMatchObject({ code, hint: expect.stringContaining(hint) })
})

test('a repository in its own target folder is refused', async () => {
  const inside = makeRepository(room.at('home/.gsd/capabilities/x'))
  inside.commit(manifest('x'))
  expect(await room.failure(inside.url)).toMatchObject({ code: 'FETCH_OVERLAPS_SCOPE', exitStatus: 3 })
})
