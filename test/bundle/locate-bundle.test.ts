import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StageOptions } from '../../src/bundle/stage-bundle.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { tgz } from '../helpers/tar.ts'

const room = useBundleFixture()

/** The text of the manifest that is found among these paths; each manifest contains its own path. */
const foundIn = async (paths: readonly string[], options: Partial<StageOptions> = {}): Promise<string> => {
  const entries = paths.map((path) => (path.endsWith('/') ? { path, flag: '5' } : { path, body: path }))
  const fromArchive = await room.stageArchive(tgz(...entries), options)
  fs.rmSync(room.path('source'), { recursive: true })
  const files = paths.filter((path) => !path.endsWith('/'))
  const source = room.folder('cap', Object.fromEntries(files.map((path) => [path, path])))
  for (const path of paths) if (path.endsWith('/')) fs.mkdirSync(join(source, path), { recursive: true })
  const fromFolder = await room.stageFolder(source, options)
  expect(Buffer.from(fromFolder.manifest).toString()).toBe(Buffer.from(fromArchive.manifest).toString())
  return Buffer.from(fromArchive.manifest).toString()
}

const refusal = async (paths: readonly string[], options: Partial<StageOptions> = {}) => {
  const source = room.folder('cap', Object.fromEntries(paths.map((path) => [path, path])))
  const fromFolder = await room.refusalOf(room.stageFolder(source, options))
  const fromArchive = await room.refusalOf(
    room.stageArchive(tgz(...paths.map((path) => ({ path, body: path }))), options),
  )
  const words = (message: string): string => message.replace(/^"[^"]*": /, '')
  expect(words(fromFolder.message)).toBe(words(fromArchive.message))
  return fromArchive
}

test.each([
  ['at the root', ['capability.json', 'a/capability.json'], 'capability.json'],
  ['at the root before capabilities/', ['capability.json', 'capabilities/x/capability.json'], 'capability.json'],
  ['in a single top folder', ['package/capability.json', 'package/a.md'], 'package/capability.json'],
  ['in a top folder of any name', ['repo-1.0.0/capability.json'], 'repo-1.0.0/capability.json'],
  [
    'in a top folder with a blank and letters of any script',
    ['\u00e9 \u65e5/capability.json'],
    '\u00e9 \u65e5/capability.json',
  ],
  [
    'beside what is left out',
    ['package/capability.json', '.git/config', '.DS_Store', 'node_modules/a.js'],
    'package/capability.json',
  ],
  ['in capabilities/<id>/', ['capabilities/x/capability.json', 'README.md'], 'capabilities/x/capability.json'],
  [
    'in capabilities/<id>/ of a top folder',
    ['repo/capabilities/x/capability.json', 'repo/a.md'],
    'repo/capabilities/x/capability.json',
  ],
  [
    'in the only folder of capabilities/ that has one',
    ['capabilities/x/capability.json', 'capabilities/y/README.md'],
    'capabilities/x/capability.json',
  ],
  ['in capabilities/ as the single top folder', ['capabilities/x/capability.json'], 'capabilities/x/capability.json'],
])('a bundle is found %s', async (_where, paths, found) => {
  expect(await foundIn(paths)).toBe(found)
})

test('a known id selects one of several bundles', async () => {
  const paths = ['capabilities/x/capability.json', 'capabilities/y/capability.json', 'README.md']
  expect(await foundIn(paths, { id: 'y' })).toBe('capabilities/y/capability.json')
})

test.each(['packages/b', './packages/b', 'packages/b/'])('the path %j selects any folder', async (path) => {
  const paths = ['capability.json', 'packages/a/capability.json', 'packages/b/capability.json']
  expect(await foundIn(paths, { path })).toBe('packages/b/capability.json')
})

test('a path is also searched below a single top folder', async () => {
  expect(await foundIn(['repo/x/capability.json', 'repo/a.md'], { path: 'x' })).toBe('repo/x/capability.json')
})

test('several bundles are listed, with the way to select one', async () => {
  const error = await refusal(['capabilities/y/capability.json', 'capabilities/x/capability.json', 'README.md'])
  expect(error.code).toBe('ARCHIVE_AMBIGUOUS')
  expect(error.details).toEqual({ found: ['capabilities/x', 'capabilities/y'] })
  expect(error.message).toContain('capabilities/x, capabilities/y')
  expect(error.hint).toContain('#path:capabilities/x')
})

test('for a path without a bundle, each bundle found is named once', async () => {
  const error = await refusal(['capabilities/y/capability.json', 'capabilities/x/capability.json'], { path: 'z' })
  expect(error.hint).toMatch(/^capabilities were found in capabilities\/x, capabilities\/y;/)
})

test('an id that none of the bundles has selects nothing', async () => {
  const paths = ['capabilities/y/capability.json', 'capabilities/x/capability.json', 'README.md']
  expect((await refusal(paths, { id: 'z' })).code).toBe('ARCHIVE_AMBIGUOUS')
})

test.each([
  ['no manifest', ['README.md', 'docs/a.md']],
  ['a manifest too deep', ['a/b/c/capability.json', 'README.md']],
  ['a manifest in one of two top folders', ['a/capability.json', 'b/README.md']],
  ['a manifest in another case', ['Capability.json']],
  ['a manifest that is a folder', ['capability.json/a.md', 'README.md']],
])('%s is not a bundle', async (_what, paths) => {
  const error = await refusal(paths)
  expect(error.code).toBe('ARCHIVE_NO_BUNDLE')
  expect(error.hint).toBeDefined()
})

test('when a bundle is in another folder, the folders are named', async () => {
  expect((await refusal(['a/capability.json', 'b/README.md'])).hint).toContain('a')
  expect((await refusal(['capabilities/x/capability.json', 'README.md'], { path: 'capabilities/z' })).hint).toContain(
    'capabilities/x',
  )
})

test.each(['..', '../x', '/etc', 'a/../../x', 'a\\b', 'a//b', ''.padEnd(2000, 'x')])(
  'the path %j is refused',
  async (path) => {
    const source = room.folder('cap', { 'capability.json': '{}' })
    expect((await room.refusalOf(room.stageFolder(source, { path }))).code).toBe('SPEC_MALFORMED')
  },
)

test('an empty folder beside the top folder counts as a second one', async () => {
  const error = await room.refusal({ path: 'empty/', flag: '5' }, { path: 'package/capability.json' })
  expect(error.code).toBe('ARCHIVE_NO_BUNDLE')
})

test('an empty archive contains no bundle', async () => {
  expect((await room.refusal()).code).toBe('ARCHIVE_NO_BUNDLE')
})

test('a folder that is a link is not searched for a bundle', async () => {
  const source = room.folder('repo', { 'README.md': 'x', 'capabilities/a.md': 'x' })
  const outside = room.folder('elsewhere', { 'capability.json': '{}' })
  fs.symlinkSync(outside, join(source, 'capabilities', 'x'))
  expect((await room.refusalOf(room.stageFolder(source))).code).toBe('ARCHIVE_NO_BUNDLE')
  expect((await room.refusalOf(room.stageFolder(source, { path: 'capabilities/x' }))).code).toBe('ARCHIVE_NO_BUNDLE')
})
