import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import type { GsdError } from '../../src/errors.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { failureOf, useFetchFixture } from '../helpers/fetch-fixture.ts'
import { sha1Hex } from '../helpers/git-objects.ts'
import { makeRepository, type Repository } from '../helpers/git.ts'

const room = useFetchFixture()
let repo: Repository
beforeEach(() => {
  repo = makeRepository(room.at('repo'))
})

/** Writes a loose object, whatever its content, under an id. */
const putLoose = (objects: string, type: string, content: string | Buffer, id?: string): string => {
  const bytes = Buffer.concat([Buffer.from(`${type} ${Buffer.byteLength(content)}\0`), Buffer.from(content)])
  const oid = id ?? sha1Hex(bytes)
  putRaw(objects, oid, deflateSync(bytes))
  return oid
}
const putRaw = (objects: string, oid: string, bytes: Buffer): void => {
  const file = join(objects, oid.slice(0, 2), oid.slice(2))
  fs.mkdirSync(dirname(file), { recursive: true })
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, bytes)
}

let count = 0
const install = async (text: string, choices: Parameters<typeof room.fetch>[1] = {}): Promise<string> => {
  const { source } = await room.fetch(text, choices)
  const { dir } = await stageBundle(source, { into: room.at(`staged-${count++}`), disk: realDisk })
  return fs.readFileSync(join(dir, 'hook.sh'), 'utf8')
}

const GOOD = { 'capability.json': '{"id":"demo"}', 'hook.sh': '#!/bin/sh\necho good\n' }
const EVIL = '#!/bin/sh\necho evil\n'

describe('a cached repository that somebody else wrote into', () => {
  let commit: string
  let spec: string
  let kept: string
  beforeEach(async () => {
    commit = repo.commit(GOOD)
    spec = `${repo.url}#sha:${commit}`
    await install(spec)
    const [url = ''] = fs.readdirSync(room.at('cache/git'))
    kept = room.at('cache/git', url, commit)
  })

  /** Online it is fetched again, offline it counts as missing; nothing of it is ever installed or run. */
  const expectUnchanged = async (): Promise<void> => {
    const offline = await install(spec, { offline: true }).catch((error: unknown) => error)
    if (typeof offline === 'string') expect(offline).toContain('good')
    else expect(offline).toMatchObject({ code: 'FETCH_OFFLINE' })
    expect(await install(spec)).toContain('good')
    expect(await install(spec, { offline: true })).toContain('good')
    expect(fs.existsSync(room.at('ran'))).toBe(false)
  }
  const removePacks = (): void => {
    for (const name of fs.readdirSync(join(kept, 'objects/pack'))) fs.rmSync(join(kept, 'objects/pack', name))
  }
  /** A repository with another commit under the pinned id, packed or loose. */
  const forged = (): { readonly tree: string; readonly blob: string; readonly commit: string } => {
    const other = makeRepository(room.at('evil'))
    other.commit({ ...GOOD, 'hook.sh': EVIL })
    return {
      commit: other.git('cat-file', 'commit', 'HEAD'),
      tree: other.git('rev-parse', 'HEAD^{tree}'),
      blob: other.git('rev-parse', 'HEAD:hook.sh'),
    }
  }

  test.each(['with its packs', 'without its packs'])('by a loose blob under the id of another, %s', async (packs) => {
    if (packs === 'without its packs') removePacks()
    fs.cpSync(join(repo.dir, '.git/objects'), join(kept, 'objects'), { recursive: true, force: true })
    putLoose(join(kept, 'objects'), 'blob', EVIL, repo.git('rev-parse', 'HEAD:hook.sh'))
    await expectUnchanged()
  })

  test.each(['tree', 'commit'] as const)('by a loose %s under the id of another', async (type) => {
    removePacks()
    const evil = forged()
    fs.cpSync(join(repo.dir, '.git/objects'), join(kept, 'objects'), { recursive: true, force: true })
    fs.cpSync(room.at('evil/.git/objects'), join(kept, 'objects'), { recursive: true, force: true })
    const content =
      type === 'commit'
        ? Buffer.from(`${evil.commit}\n`)
        : execFileSync('git', ['cat-file', 'tree', evil.tree], { cwd: room.at('evil') })
    putLoose(join(kept, 'objects'), type, content, type === 'commit' ? commit : repo.git('rev-parse', 'HEAD^{tree}'))
    await expectUnchanged()
  })

  test('by a pack whose index maps an id to another object', async () => {
    const evil = forged()
    const from = room.at('evil/.git')
    execFileSync('git', ['repack', '-adq'], { cwd: dirname(from) })
    const pack = fs.readdirSync(join(from, 'objects/pack')).find((name) => name.endsWith('.pack')) ?? ''
    const index = fs.readFileSync(join(from, 'objects/pack', pack.replace('.pack', '.idx')))
    // The ids of both blobs begin with other bytes, so only the names are exchanged, and git does not check them here.
    const swap = (text: string, to: string): void => {
      const at = index.indexOf(Buffer.from(text, 'hex'))
      if (at !== -1) Buffer.from(to, 'hex').copy(index, at)
    }
    swap(evil.blob, repo.git('rev-parse', 'HEAD:hook.sh'))
    removePacks()
    fs.cpSync(join(from, 'objects/pack', pack), join(kept, 'objects/pack', pack))
    fs.writeFileSync(join(kept, 'objects/pack', pack.replace('.pack', '.idx')), index)
    await expectUnchanged()
  })

  test.each(['alternates', 'http-alternates'])('by objects/info/%s', async (name) => {
    removePacks()
    fs.writeFileSync(join(kept, 'objects/info', name), `${join(repo.dir, '.git/objects')}\n`)
    await expectUnchanged()
  })

  test('by a configuration that runs a program or points elsewhere', async () => {
    const run = `touch ${room.at('ran')}; false`
    fs.writeFileSync(
      join(kept, 'config'),
      `[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tfsmonitor = "${run}"\n\tsshCommand = "${run}"\n\tworktree = /\n\talternateRefsCommand = "${run}"\n\tpager = "${run}"\n` +
        `[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\turl = ext::sh -c "${run}"\n\tpromisor = true\n` +
        `[include]\n\tpath = /proc/self/environ\n[url "${room.at('evil')}"]\n\tinsteadOf = file://${repo.dir}\n` +
        `[protocol "ext"]\n\tallow = always\n[credential]\n\thelper = "!${run}"\n`,
    )
    fs.mkdirSync(join(kept, 'hooks'))
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
      fs.writeFileSync(join(kept, 'hooks', hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 })
    expect(await install(spec, { offline: true })).toContain('good')
    // Policy and credentials make git read its settings, too.
    expect(await install(spec, { offline: true, checkPolicy: () => undefined })).toContain('good')
    await expectUnchanged()
  })

  test('by replacements, grafts, a shallow file, a commondir or refs of its own', async () => {
    const evil = forged()
    const id = putLoose(join(kept, 'objects'), 'commit', `${evil.commit}\n`)
    fs.rmSync(join(kept, 'objects', id.slice(0, 2)), { recursive: true })
    fs.mkdirSync(join(kept, 'refs/replace'), { recursive: true })
    fs.writeFileSync(join(kept, 'refs/replace', commit), `${id}\n`)
    fs.mkdirSync(join(kept, 'info'))
    fs.writeFileSync(join(kept, 'info/grafts'), `${commit} ${id}\n`)
    fs.writeFileSync(join(kept, 'shallow'), `${id}\n`)
    fs.writeFileSync(join(kept, 'commondir'), `${room.at('evil/.git')}\n`)
    fs.writeFileSync(join(kept, 'packed-refs'), `${id} refs/heads/main\n`)
    expect(await install(spec, { offline: true })).toContain('good')
    await expectUnchanged()
  })

  test.each(['objects', 'objects/pack', 'objects/info', '.'])(
    'by a link in place of %s, is refused',
    async (replaceManifest) => {
      const path = join(kept, replaceManifest)
      fs.renameSync(path, room.at('moved'))
      fs.symlinkSync(room.at('moved'), path)
      const error = await failureOf(install(spec))
      expect(error).toMatchObject({ code: 'STATE_CACHE_UNSAFE', exitStatus: 4 })
      expect(error.message).toContain(path)
    },
  )

  test('between the check and the installation, is refused', async () => {
    const { source } = await room.fetch(spec, { offline: true })
    removePacks()
    fs.cpSync(join(repo.dir, '.git/objects'), join(kept, 'objects'), { recursive: true, force: true })
    putLoose(join(kept, 'objects'), 'blob', EVIL, repo.git('rev-parse', 'HEAD:hook.sh'))
    expect(await failureOf(stageBundle(source, { into: room.at('late'), disk: realDisk }))).toMatchObject({
      exitStatus: expect.any(Number),
    })
    expect(fs.existsSync(room.at('late'))).toBe(false)
  })
})

describe('a repository with a malformed object', () => {
  const objects = (): string => join(repo.dir, '.git/objects')
  const failure = async (ref: string): Promise<GsdError> => {
    const error = await failureOf(install(`${repo.url}#${ref}`))
    expect(error.code).not.toBe('INTERNAL_ERROR')
    expect(error.message).not.toMatch(/\n|bug in gsd|\bat .*\.ts:/)
    return error
  }
  const branch = (name: string, oid: string): void => {
    fs.mkdirSync(join(repo.dir, '.git/refs/heads'), { recursive: true })
    fs.writeFileSync(join(repo.dir, '.git/refs/heads', name), `${oid}\n`)
  }
  const person = 'a <a@example.org> 0 +0000'
  const commitOf = (tree: string): string => `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nx\n`
  beforeEach(() => {
    repo.commit(GOOD)
  })

  test.each([
    ['is empty', ''],
    ['has no tree', `author ${person}\n\nx\n`],
    ['has a short id', `tree 0123\nauthor ${person}\ncommitter ${person}\n\nx\n`],
    ['has no author', 'tree TREE\n\nx\n'],
    ['is of other bytes', '\0\u0001\u0002'],
    ['names a tree that does not exist', commitOf('1'.repeat(40))],
    ['names a blob as its tree', 'BLOB'],
  ])('as a commit that %s is one clear error', async (_what, text) => {
    const content = text
      .replace('TREE', repo.git('rev-parse', 'HEAD^{tree}'))
      .replace('BLOB', commitOf(repo.git('rev-parse', 'HEAD:hook.sh')))
    branch('odd', putLoose(objects(), 'commit', content))
    expect((await failure('odd')).exitStatus).toBeGreaterThanOrEqual(3)
  })

  const oid = (): Buffer => Buffer.from(repo.git('rev-parse', 'HEAD:hook.sh'), 'hex')
  test.each<[string, () => Buffer]>([
    ['is cut off in an id', () => Buffer.concat([Buffer.from('100644 a\0'), oid().subarray(0, 9)])],
    ['is cut off in a name', () => Buffer.from('100644 a')],
    ['has no mode', () => Buffer.concat([Buffer.from(' a\0'), oid()])],
    ['has a mode of letters', () => Buffer.concat([Buffer.from('10x644 a\0'), oid()])],
    ['has a device as a mode', () => Buffer.concat([Buffer.from('60000 a\0'), oid()])],
    ['has a setuid file', () => Buffer.concat([Buffer.from('104755 a\0'), oid()])],
    ['names a blob as a folder', () => Buffer.concat([Buffer.from('40000 a\0'), oid()])],
    [
      'names a folder as a blob',
      () => Buffer.concat([Buffer.from('100644 hook.sh\0'), Buffer.from(repo.git('rev-parse', 'HEAD^{tree}'), 'hex')]),
    ],
    ['names what does not exist', () => Buffer.concat([Buffer.from('40000 a\0'), Buffer.alloc(20, 0x11)])],
    ['is of other bytes', () => Buffer.alloc(64, 0xff)],
  ])('as a tree that %s is one clear error', async (_what, content) => {
    branch('odd', putLoose(objects(), 'commit', commitOf(putLoose(objects(), 'tree', content()))))
    expect((await failure('odd')).exitStatus).toBeGreaterThanOrEqual(3)
  })

  test.each([
    ['is empty', ''],
    ['names nothing', 'type commit\ntag v9.0.0\n'],
    ['names what does not exist', `object ${'1'.repeat(40)}\ntype commit\ntag v9.0.0\ntagger ${person}\n\nx\n`],
    ['names a blob', `object BLOB\ntype blob\ntag v9.0.0\ntagger ${person}\n\nx\n`],
    ['names a blob as a commit', `object BLOB\ntype commit\ntag v9.0.0\ntagger ${person}\n\nx\n`],
  ])('as a tag that %s is one clear error', async (_what, text) => {
    const tag = putLoose(objects(), 'tag', text.replace('BLOB', repo.git('rev-parse', 'HEAD:hook.sh')))
    fs.mkdirSync(join(repo.dir, '.git/refs/tags'), { recursive: true })
    fs.writeFileSync(join(repo.dir, '.git/refs/tags/v9.0.0'), `${tag}\n`)
    for (const ref of ['v9.0.0', 'tag:v9.0.0']) expect((await failure(ref)).exitStatus).toBeGreaterThanOrEqual(3)
  })

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['truncated', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['no zlib', () => Buffer.from('not zlib at all')],
    ['with a length that is too small', () => deflateSync(Buffer.from('blob 3\0#!/bin/sh\n'))],
    ['with a length that is too large', () => deflateSync(Buffer.from('blob 99\0#!/bin/sh\n'))],
    ['of an unknown type', () => deflateSync(Buffer.from('blub 3\0abc'))],
    ['without a header', () => deflateSync(Buffer.from('abc'))],
  ])('as a loose object %s is one clear error, for any type', async (_what, damage) => {
    for (const name of ['HEAD:hook.sh', 'HEAD^{tree}', 'HEAD']) {
      const id = repo.git('rev-parse', name)
      const file = join(objects(), id.slice(0, 2), id.slice(2))
      const before = fs.readFileSync(file)
      putRaw(objects(), id, damage(before))
      expect((await failure('main')).exitStatus, name).toBeGreaterThanOrEqual(3)
      putRaw(objects(), id, before)
    }
    expect(await install(`${repo.url}#main`)).toContain('good')
  })
})
