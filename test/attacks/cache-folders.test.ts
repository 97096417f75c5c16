import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createArtifact, findArtifact, recordIntegrity } from '../../src/fetch/cache/artifacts.ts'
import { cacheCatalog, readCachedCatalog } from '../../src/fetch/catalog/web-catalog.ts'
import { withNpm } from '../../src/fetch/npm/run-npm.ts'
import { cleanCache } from '../../src/operation/clean-cache.ts'
import { info } from '../../src/operation/info.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { withStaging } from '../../src/transaction/staging.ts'
import { useFetchFixture } from '../helpers/fetch-fixture.ts'
import { makeRepository } from '../helpers/git.ts'
import { installIn, recoverAndLoad, syncIn, updateIn } from '../helpers/operations.ts'
import { bundleFiles, refusalOf, useScratch } from '../helpers/scratch.ts'
import { treeOf } from '../helpers/tree.ts'

const scratch = useScratch()
const room = useFetchFixture()
const CACHE = 'cache/gsd-capability'
const YEAR_AGO = new Date(Date.now() - 365 * 24 * 60 * 60 * 1000)

/** The target of a link: old files, also with names of our own forms. */
const NAMES = [
  'file.txt',
  'folder/file.txt',
  '1234-0123456789ab/file.txt',
  'passing-1234-0123456789ab/file.txt',
  '1234-0123456789ac',
  'abc-0123456789ab@4000000-0123456789abcdef',
  'abc-0123456789ab/file.txt',
  'artifacts/file.txt',
  'registry/file.txt',
  'git/file.txt',
]
const writeUserFiles = (folder: string): void => {
  for (const name of NAMES) {
    const file = join(folder, name)
    fs.mkdirSync(dirname(file), { recursive: true })
    fs.writeFileSync(file, 'mine')
    for (let at = file; at !== dirname(folder); at = dirname(at)) fs.utimesSync(at, YEAR_AGO, YEAR_AGO)
  }
}
const plantLink = (replaceManifest: string): void => {
  writeUserFiles(scratch.path('precious'))
  const path = scratch.path(CACHE, replaceManifest)
  fs.mkdirSync(dirname(path), { recursive: true })
  fs.symlinkSync(scratch.path('precious'), path)
}

describe('a link in place of a folder of the cache', () => {
  let repository: string
  beforeEach(async () => {
    const repo = makeRepository(scratch.path('repo.git'))
    repo.commit(bundleFiles('one'))
    repository = `git+file://${encodeURI(repo.dir)}`
  })

  test.each(['.', 'git', 'staging', '.running'])(
    '(%s) is refused by every command that fetches',
    async (replaceManifest) => {
      await scratch.install(scratch.bundle('two'), { scope: 'project' })
      fs.rmSync(scratch.path('cache'), { recursive: true, force: true })
      plantLink(replaceManifest)
      const [userFiles, before] = [treeOf(scratch.path('precious')), treeOf(scratch.path('home'))]
      const { context } = scratch.testContext()
      fs.rmSync(scratch.path('project/.gsd/capabilities/two'), { recursive: true })
      for (const run of [
        () => info(context, { target: repository, scope: null }),
        () => installIn(context, repository),
        () => installIn(context, repository, { scope: 'project', dryRun: true }),
        ...(replaceManifest === 'git'
          ? []
          : [() => updateIn(context, ['two'], { scope: 'project' }), () => syncIn(context)]),
      ]) {
        const error = await refusalOf(run)
        expect(error).toMatchObject({ code: 'STATE_CACHE_UNSAFE', exitStatus: 4 })
        expect(error.message).toContain('is a link')
        expect(error.message).not.toContain('\n')
      }
      expect(treeOf(scratch.path('precious'))).toEqual(userFiles)
      expect(treeOf(scratch.path('home'))).toEqual(before)
    },
  )

  test.each(['.', 'git', 'staging', '.running', 'artifacts', 'registry', 'npm', 'catalogs', 'pins'])(
    '(%s) loses nothing at its target by reading, recovery and cleaning',
    async (replaceManifest) => {
      plantLink(replaceManifest)
      const userFiles = treeOf(scratch.path('precious'))
      const { context } = scratch.testContext()
      await recoverAndLoad(context)
      if (replaceManifest === '.')
        expect((await refusalOf(() => cleanCache(context, { dryRun: false }))).code).toBe('STATE_CACHE_UNSAFE')
      else cleanCache(context, { dryRun: false })
      expect(treeOf(scratch.path('precious'))).toEqual(userFiles)
    },
  )

  test('of one repository is refused, too', async () => {
    await info(scratch.testContext().context, { target: repository, scope: null })
    const [url = ''] = fs.readdirSync(scratch.path(CACHE, 'git'))
    fs.rmSync(scratch.path(CACHE, 'git', url), { recursive: true })
    plantLink(`git/${url}`)
    const userFiles = treeOf(scratch.path('precious'))
    expect((await refusalOf(() => scratch.install(repository))).code).toBe('STATE_CACHE_UNSAFE')
    expect(treeOf(scratch.path('precious'))).toEqual(userFiles)
  })
})

describe('archives, packages and catalogs in a cache', () => {
  const link = (replaceManifest: string): string[] => {
    writeUserFiles(room.at('precious'))
    fs.mkdirSync(dirname(room.at('cache', replaceManifest)), { recursive: true })
    fs.symlinkSync(room.at('precious'), room.at('cache', replaceManifest))
    return treeOf(room.at('precious'))
  }
  const INTEGRITY = `sha512-${Buffer.alloc(64).toString('base64')}`
  const cases: readonly [string, () => unknown][] = [
    ['artifacts', () => createArtifact(realDisk, room.at('cache'))],
    ['artifacts/incoming', () => createArtifact(realDisk, room.at('cache'))],
    ['artifacts/00', () => findArtifact(realDisk, room.at('cache'), INTEGRITY)],
    ['npm', () => withNpm(room.context(), 'x', () => Promise.resolve())],
    ['pins', () => recordIntegrity(realDisk, room.at('cache'), 'x', INTEGRITY)],
    ['catalogs', () => readCachedCatalog(room.context(), 'x')],
    ['catalogs', () => cacheCatalog(room.context(), 'x', { bytes: Buffer.of(), validators: {} })],
  ]
  test.each(cases)('are not used if %s is a link', async (replaceManifest, run) => {
    const userFiles = link(replaceManifest)
    expect((await refusalOf(run)).code).toBe('STATE_CACHE_UNSAFE')
    expect(treeOf(room.at('precious'))).toEqual(userFiles)
  })

  test.runIf(process.geteuid?.() === 0).each(cases)(
    'are not used if %s belongs to another user',
    async (replaceManifest, run) => {
      fs.mkdirSync(room.at('cache', replaceManifest), { recursive: true })
      fs.chownSync(room.at('cache', replaceManifest), 12_345, 12_345)
      expect(await refusalOf(run)).toMatchObject({
        code: 'STATE_CACHE_UNSAFE',
        message: expect.stringContaining('another user'),
      })
    },
  )

  test.each(cases)('are not used if others can write to %s', async (replaceManifest, run) => {
    for (const mode of [0o777, 0o757, 0o775]) {
      fs.mkdirSync(room.at('cache', replaceManifest), { recursive: true })
      fs.chmodSync(room.at('cache', replaceManifest), mode)
      expect(await refusalOf(run)).toMatchObject({
        code: 'STATE_CACHE_UNSAFE',
        hint: expect.stringContaining('chmod go-w'),
      })
    }
  })

  test('replace a link in place of a file, and never its target', () => {
    fs.writeFileSync(room.at('mine'), 'mine')
    cacheCatalog(room.context(), 'x', { bytes: Buffer.from('a'), validators: {} })
    const [name = ''] = fs.readdirSync(room.at('cache/catalogs'))
    fs.rmSync(room.at('cache/catalogs', name))
    fs.symlinkSync(room.at('mine'), room.at('cache/catalogs', name))
    expect(readCachedCatalog(room.context(), 'x')).toBeNull()
    cacheCatalog(room.context(), 'x', { bytes: Buffer.from('b'), validators: {} })
    expect(fs.readFileSync(room.at('mine'), 'utf8')).toBe('mine')
    expect(readCachedCatalog(room.context(), 'x')?.bytes.toString()).toBe('b')
  })

  test('leave old files of other names unchanged, and remove those of our own form', () => {
    writeUserFiles(room.at('cache/artifacts/incoming'))
    createArtifact(realDisk, room.at('cache')).discard()
    expect(fs.readdirSync(room.at('cache/artifacts/incoming')).sort()).toEqual(
      [
        'file.txt',
        'folder',
        'passing-1234-0123456789ab',
        'abc-0123456789ab@4000000-0123456789abcdef',
        'abc-0123456789ab',
        'artifacts',
        'registry',
        'git',
      ].sort(),
    )
  })
})

test('an owner file in the cache affects no folder outside of it', async () => {
  for (const folder of ['outside/empty', 'project/empty', `${CACHE}/staging/empty`])
    fs.mkdirSync(scratch.path(folder), { recursive: true })
  fs.chmodSync(scratch.path(CACHE), 0o700)
  const made = ['outside/empty', 'project/empty', `${CACHE}/staging/empty`].map((folder) => scratch.path(folder))
  const file = scratch.put(`${CACHE}/.running/abc-0123456789ab@2147483632-0123456789abcdef`, JSON.stringify({ made }))
  fs.utimesSync(file, YEAR_AGO, YEAR_AGO)
  await recoverAndLoad(scratch.testContext().context)
  expect(made.map((folder) => fs.existsSync(folder))).toEqual([true, true, false])
})

test('cleaning the cache keeps the files of others', () => {
  scratch.put(`${CACHE}/notes.txt`, 'mine')
  scratch.put(`${CACHE}/artifacts/x.tgz`, 'x')
  expect(cleanCache(scratch.testContext().context, { dryRun: false })).toEqual(['artifacts'])
  expect(scratch.text(`${CACHE}/notes.txt`)).toBe('mine')
})

test('every folder of the cache is private, whatever the umask', async () => {
  const before = process.umask(0)
  try {
    const { context } = scratch.testContext()
    createArtifact(realDisk, context.cache).finish()
    recordIntegrity(realDisk, context.cache, 'x', 'y')
    await withStaging(context, ({ dir }) => {
      expect(fs.statSync(dir).mode & 0o777).toBe(0o700)
      return Promise.resolve()
    })
    for (const folder of ['.', 'artifacts', 'artifacts/incoming', 'pins'])
      expect({ folder, mode: fs.statSync(join(context.cache, folder)).mode & 0o777 }).toEqual({ folder, mode: 0o700 })
  } finally {
    process.umask(before)
  }
})
