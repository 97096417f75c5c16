import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildFirstParty, firstPartyArtifact } from '../../scripts/build-first-party.ts'
import { BUILT_IN_FILE, BUILT_IN_KEY, isEmptyScope } from '../../src/overlay/cache/built-in-registry.ts'
import { SnapshotFile } from '../../src/overlay/cache/snapshot-file.ts'
import { readLoadedRegistry } from '../../src/overlay/cache/snapshot-registry.ts'
import { resolvePaths } from '../../src/state/config/resolve-paths.ts'
import { contribution, feature } from '../registry/manifests.ts'
import { load, createMachine, writeBundle, loadUncached, writeFileIn } from './test-machine.ts'

const CAPABILITIES = join(import.meta.dirname, '../../capabilities')

describe('the first-party set', () => {
  test('is valid: no rule reports anything', () => {
    expect(firstPartyArtifact(CAPABILITIES).problems).toEqual([])
  })

  test('becomes one file of minified JSON with the fragments inside, and composes the same', async () => {
    const on = createMachine()
    const manifest = feature('gsd-own', {
      contributions: [{ ...contribution('plan:pre', 'planner', ''), fragment: { path: 'f/x.md' } }],
    })
    writeFileIn(
      join(on.firstParty, 'gsd-own/capability.json'),
      JSON.stringify({ $schema: '../schema.json', ...manifest }, null, 2),
    )
    writeFileIn(join(on.firstParty, 'gsd-own/f/x.md'), 'Text of the host\n')
    buildFirstParty(on.firstParty, join(on.base, 'out/first-party.json'))
    const text = readFileSync(join(on.base, 'out/first-party.json'), 'utf8')
    expect(JSON.parse(text)).toEqual({ capabilities: [{ manifest, fragments: { 'f/x.md': 'Text of the host\n' } }] })
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
    const file = SnapshotFile.open(join(on.base, 'out', BUILT_IN_FILE), BUILT_IN_KEY, () => true)
    const loaded = file === null ? null : readLoadedRegistry(file)
    expect(loaded?.rows).toEqual(loadUncached(on).rows)
    expect(loaded?.registry.byLoopPoint.get('plan:pre')).toMatchObject([
      { capability: 'gsd-own', text: 'Text of the host\n' },
    ])
  })

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['an error', { 'a/capability.json': JSON.stringify({ ...feature('a'), tier: 'huge' }) }, 'a/capability.json:1:'],
    ['a warning', { 'a/capability.json': JSON.stringify({ ...feature('a'), tilte: 'x' }) }, 'MANIFEST_UNKNOWN_KEY'],
    ['a folder that is not the id', { 'b/capability.json': JSON.stringify(feature('a')) }, 'MANIFEST_ID_FOLDER'],
    [
      'a requirement found nowhere',
      { 'a/capability.json': JSON.stringify(feature('a', { requires: ['b'] })) },
      'REGISTRY_REQUIRES_MISSING',
    ],
    [
      'a missing fragment',
      {
        'a/capability.json': JSON.stringify(
          feature('a', { contributions: [{ ...contribution('plan:pre', 'planner', ''), fragment: { path: 'x.md' } }] }),
        ),
      },
      'its fragment "x.md" does not exist',
    ],
    ['nothing at all', {}, 'holds no capability'],
  ])('with %s fails the build', (_what, files, message) => {
    const on = createMachine()
    for (const [path, text] of Object.entries(files)) writeFileIn(join(on.firstParty, path), text)
    expect(() => buildFirstParty(on.firstParty, join(on.base, 'out.json'))).toThrow(message)
  })

  test('may name skills and agents whose files belong to the host', () => {
    const on = createMachine()
    writeFileIn(
      join(on.firstParty, 'a/capability.json'),
      JSON.stringify(feature('a', { skills: ['s'], agents: ['g'] })),
    )
    expect(firstPartyArtifact(on.firstParty).problems).toEqual([])
  })
})

describe('a scope is empty', () => {
  const empty = (root: string): boolean =>
    isEmptyScope(resolvePaths({ cwd: root, home: root, gsdHome: undefined, project: null }).global)

  test('without .gsd, and with its bare skeleton', () => {
    const { home } = createMachine()
    expect(empty(home)).toBe(true)
    mkdirSync(join(home, '.gsd/capabilities'), { recursive: true })
    expect(empty(home)).toBe(true)
  })

  test.each(['capabilities/a/capability.json', 'ledger.json', 'state.json', '.journal.json'])(
    'but not with %s',
    (path) => {
      const { home } = createMachine()
      writeFileIn(join(home, '.gsd', path), '{}')
      expect(empty(home)).toBe(false)
    },
  )

  test('but not when .gsd is a link, which may be refused', () => {
    const { home, base } = createMachine()
    mkdirSync(join(base, 'elsewhere'))
    symlinkSync(join(base, 'elsewhere'), join(home, '.gsd'))
    expect(empty(home)).toBe(false)
  })

  test('and a registry of empty scopes is that of the first-party set alone', async () => {
    const on = createMachine()
    writeFileIn(join(on.firstParty, 'a/capability.json'), JSON.stringify(feature('a')))
    expect((await load(on)).rows.map((row) => row.id)).toEqual(['a'])
    writeBundle(on.home, feature('b'))
    expect((await load(on)).rows.map((row) => row.id)).toEqual(['a', 'b'])
  })
})
