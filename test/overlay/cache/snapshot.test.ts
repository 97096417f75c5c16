import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { LoadedRegistry } from '../../../src/overlay/loaded-registry.ts'
import { fc } from '../../helpers/property.ts'
import { contribution, feature, flag } from '../../registry/manifests.ts'
import {
  grantConsent,
  writeLedger,
  load,
  type Machine,
  createMachine,
  restart,
  writeBundle,
  loadUncached,
  writeFileIn,
} from '../test-machine.ts'

/** Everything that a caller can observe of a loaded registry. */
const visibleParts = ({ rows, warnings, registry, input }: LoadedRegistry): unknown =>
  JSON.parse(
    JSON.stringify({
      rows,
      warnings,
      input: { ...input, disabled: [...(input.disabled ?? [])], absent: [...(input.absent ?? [])] },
      capabilities: [...registry.capabilities],
      points: [...registry.byLoopPoint],
      skills: [...registry.bySkill],
      agents: [...registry.byAgent],
      config: [...registry.configKeys],
      conditions: [...registry.conditions],
      lostGates: registry.lostGates,
      families: [...registry.commandFamilies],
      profile: registry.profile('full'),
    }),
  )

const HOUR = 3_600_000
/** A clock for which every file is old. */
const inAnHour = (): number => Date.now() + HOUR

const capability = (id: string) =>
  feature(id, {
    skills: [`${id}-skill`],
    config: { [`${id}.on`]: flag() },
    activationKey: `${id}.on`,
    contributions: [{ ...contribution('plan:pre', 'planner', ''), fragment: { path: 'f/x.md' } }],
  })

/** A home of forty capabilities and a project with a trusted one. */
const machineWithManyBundles = (): Machine & { readonly cache: string } => {
  const on = createMachine()
  for (let at = 0; at < 40; at++) writeBundle(on.home, capability(`c${at}`), { 'f/x.md': `text ${at}` })
  const trusted = capability('trusted')
  writeBundle(on.project, trusted, { 'f/x.md': 'trusted', 'lib/a.js': 'a', 'lib/b.js': 'b' })
  grantConsent(on, on.project, trusted)
  return { ...on, cache: join(on.base, 'cache') }
}

const snapshotsIn = (cache: string): string[] =>
  existsSync(join(cache, 'registry'))
    ? readdirSync(join(cache, 'registry')).map((name) => join(cache, 'registry', name))
    : []

const bundleFolder = (on: Machine, id: string): string => join(on.home, '.gsd/capabilities', id)

/** Edits of every kind; each must work after any other. */
const edits: Readonly<Record<string, (on: Machine, at: number) => void>> = {
  'a fragment, in place and of the same length': (on, at) =>
    writeFileSync(join(bundleFolder(on, `c${at}`), 'f/x.md'), `TEXT ${at}`),
  'a fragment, replaced': (on, at) => {
    writeFileSync(join(bundleFolder(on, `c${at}`), 'f/new'), `new ${at}`)
    renameSync(join(bundleFolder(on, `c${at}`), 'f/new'), join(bundleFolder(on, `c${at}`), 'f/x.md'))
  },
  'a fragment, gone': (on, at) => rmSync(join(bundleFolder(on, `c${at}`), 'f/x.md'), { force: true }),
  'the folder of a fragment, a link to where it is now': (on, at) => {
    renameSync(join(bundleFolder(on, `c${at}`), 'f'), join(on.base, `moved-${at}-${Math.random()}`))
    symlinkSync(
      readdirSync(on.base)
        .filter((name) => name.startsWith(`moved-${at}-`))
        .map((name) => join(on.base, name))[0] ?? '',
      join(bundleFolder(on, `c${at}`), 'f'),
    )
  },
  'a manifest, in place': (on, at) =>
    void writeBundle(on.home, { ...capability(`c${at}`), title: `Edited ${at}` }, { 'f/x.md': 'edited' }),
  'a manifest, broken': (on, at) => writeFileSync(join(bundleFolder(on, `c${at}`), 'capability.json'), '{'),
  'a capability, gone': (on, at) => rmSync(bundleFolder(on, `c${at}`), { recursive: true, force: true }),
  'a capability, new': (on, at) => void writeBundle(on.home, feature(`n${at}`)),
  'a file beside the bundles': (on, at) => writeFileIn(join(on.home, `.gsd/capabilities/stray-${at}`), 'x'),
  'a folder without a manifest': (on, at) => void mkdirSync(bundleFolder(on, `empty${at}`), { recursive: true }),
  'the state': (on, at) =>
    writeFileIn(
      join(on.home, '.gsd/state.json'),
      JSON.stringify({ schema: 1, capabilities: { [`c${at}`]: 'disabled' } }),
    ),
  'the state of the project': (on, at) =>
    writeFileIn(
      join(on.project, '.gsd/state.json'),
      JSON.stringify({ schema: 1, capabilities: { [`c${at + 1}`]: 'disabled' } }),
    ),
  'the ledger': (on, at) => writeLedger(on.home, [`c${at}`, 'gone']),
  'a trusted file': (on, at) =>
    writeFileSync(join(on.project, '.gsd/capabilities/trusted/lib/a.js'), at % 2 === 0 ? 'a' : 'A'),
  'a new file in a trusted bundle': (on, at) =>
    writeFileIn(join(on.project, `.gsd/capabilities/trusted/deep/${at}/new.js`), 'x'),
  'a mode in a trusted bundle': (on, at) =>
    chmodSync(join(on.project, '.gsd/capabilities/trusted/lib/b.js'), at % 2 === 0 ? 0o644 : 0o755),
  'the consent': (on) => rmSync(join(on.home, '.gsd/grants.json'), { force: true }),
  'the first-party set': (on, at) =>
    writeFileIn(join(on.firstParty, `c${at}/capability.json`), JSON.stringify(feature(`c${at}`))),
}

const tryEdit = (edit: (on: Machine, at: number) => void, on: Machine, at: number): void => {
  try {
    edit(on, at)
  } catch {
    // A file that an earlier edit removed cannot be edited.
  }
}

describe('a snapshot', () => {
  test.each([
    ['while everything is young', Date.now],
    ['when nothing is young any more', inAnHour],
  ])('gives the same result as the disk, after any edits, %s', async (_when, now) => {
    const edit = fc.tuple(fc.constantFrom(...Object.keys(edits)), fc.nat(3))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 2 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (rounds, sameProcess) => {
          const on = machineWithManyBundles()
          const options = { cache: on.cache, now }
          await load(on, options)
          for (const round of rounds) {
            if (!sameProcess) await restart(on)
            // With a clock that is ahead, two edits must not share a tick of the file system.
            if (now === inAnHour) await sleep(15)
            for (const [name, at] of round) tryEdit(edits[name] ?? (() => {}), on, at)
            expect(visibleParts(await load(on, options))).toEqual(visibleParts(loadUncached(on)))
          }
          await restart(on)
          rmSync(on.base, { recursive: true })
        },
      ),
      { numRuns: 12 },
    )
  })

  test('is used in a new process when nothing changed', async () => {
    const on = machineWithManyBundles()
    await load(on, { cache: on.cache, now: inAnHour })
    await restart(on)
    const [file] = snapshotsIn(on.cache)
    expect(snapshotsIn(on.cache)).toHaveLength(1)
    // Proves that it is read: the answer exists only in the snapshot.
    writeFileSync(file ?? '', readFileSync(file ?? '', 'latin1').replace('Title of c7', 'TITLE OF C7'), 'latin1')
    const loaded = await load(on, { cache: on.cache, now: inAnHour })
    expect(loaded.rows.find((row) => row.id === 'c7')?.title).toBe('TITLE OF C7')
  })

  test('is the same object in one process', async () => {
    const on = machineWithManyBundles()
    const options = { cache: on.cache, now: inAnHour }
    expect(await load(on, options)).toBe(await load(on, options))
    await restart(on)
  })

  test('notices an edit in place within one tick of the clock', async () => {
    const on = machineWithManyBundles()
    const file = join(bundleFolder(on, 'c1'), 'f/x.md')
    for (let round = 0; round < 20; round++) {
      writeFileSync(file, `before ${round}`)
      await load(on, { cache: on.cache })
      writeFileSync(file, `after! ${round}`)
      const { registry } = await load(on, { cache: on.cache })
      expect(registry.byLoopPoint.get('plan:pre')?.find((it) => it.capability === 'c1')).toMatchObject({
        text: `after! ${round}`,
      })
    }
    await restart(on)
  })

  test.each([
    ['cut short', (file: string) => truncateSync(file, statSync(file).size - 10)],
    ['empty', (file: string) => truncateSync(file, 0)],
    ['something else', (file: string) => writeFileSync(file, 'x'.repeat(100_000))],
    [
      'a folder',
      (file: string) => {
        unlinkSync(file)
        mkdirSync(file)
      },
    ],
    ['writable for others', (file: string) => chmodSync(file, 0o666)],
    ['in a folder that others can write', (file: string) => chmodSync(join(file, '..'), 0o777)],
  ])('that is %s is ignored', async (_what, spoil) => {
    const on = machineWithManyBundles()
    await load(on, { cache: on.cache, now: inAnHour })
    await restart(on)
    const [file = ''] = snapshotsIn(on.cache)
    writeFileSync(file, readFileSync(file, 'latin1').replaceAll('Title of c7', 'TITLE OF C7'), 'latin1')
    spoil(file)
    const loaded = await load(on, { cache: on.cache, now: inAnHour })
    expect(loaded.rows.find((row) => row.id === 'c7')?.title).toBe('Title of c7')
    await restart(on)
  })

  test('is separate for each host version, project and home', async () => {
    const on = machineWithManyBundles()
    writeBundle(on.home, feature('newer', { engines: { gsd: '>=2' } }))
    const status = async (hostVersion: string, project: string | null) => {
      await restart(on)
      const { rows } = await load(on, { cache: on.cache, hostVersion, project, now: inAnHour })
      return [rows.find((row) => row.id === 'newer')?.status, rows.some((row) => row.scope === 'project')]
    }
    for (let round = 0; round < 2; round++) {
      expect(await status('1.14.0', on.project)).toEqual(['incompatible', true])
      expect(await status('2.0.0', on.project)).toEqual(['orphan', true])
      expect(await status('1.14.0', null)).toEqual(['incompatible', false])
    }
    expect(snapshotsIn(on.cache)).toHaveLength(3)
  })

  test('that was made in another home of the same path is not used', async () => {
    const on = machineWithManyBundles()
    await load(on, { cache: on.cache, now: inAnHour })
    await restart(on)
    const [file = ''] = snapshotsIn(on.cache)
    writeFileSync(file, readFileSync(file, 'latin1').replaceAll('Title of c7', 'TITLE OF C7'), 'latin1')
    renameSync(on.home, `${on.home}-before`)
    mkdirSync(on.home)
    renameSync(`${on.home}-before/.gsd`, join(on.home, '.gsd'))
    const world = await load(on, { cache: on.cache, now: inAnHour })
    expect(world.rows.find((row) => row.id === 'c7')?.title).toBe('Title of c7')
    await restart(on)
  })

  test('behind a link in place of its folder, or of the cache, is neither read nor written', async () => {
    for (const place of ['registry', '.']) {
      const on = machineWithManyBundles()
      await load(on, { cache: on.cache, now: inAnHour })
      await restart(on)
      const [file = ''] = snapshotsIn(on.cache)
      const forged = readFileSync(file, 'latin1').replaceAll('Title of c7', 'TITLE OF C7')
      writeFileSync(file, forged, 'latin1')
      renameSync(join(on.cache, place), join(on.base, 'moved'))
      symlinkSync(join(on.base, 'moved'), join(on.cache, place))
      const world = await load(on, { cache: on.cache, now: inAnHour })
      expect(world.rows.find((row) => row.id === 'c7')?.title).toBe('Title of c7')
      await restart(on)
      expect(readFileSync(file, 'latin1')).toBe(forged)
    }
  })

  test('of a few capabilities is not written', async () => {
    const on = createMachine()
    writeBundle(on.home, feature('a'))
    const cache = join(on.base, 'cache')
    await load(on, { cache })
    await restart(on)
    expect(existsSync(cache)).toBe(false)
  })

  test('is readable by its owner only', async () => {
    const on = machineWithManyBundles()
    await load(on, { cache: on.cache })
    await restart(on)
    expect(statSync(join(on.cache, 'registry')).mode & 0o777).toBe(0o700)
    expect(statSync(snapshotsIn(on.cache)[0] ?? '').mode & 0o777).toBe(0o600)
  })

  test('that cannot be written only costs time', async () => {
    const on = machineWithManyBundles()
    writeFileSync(on.cache, 'a file where the folder should be')
    expect(visibleParts(await load(on, { cache: on.cache }))).toEqual(visibleParts(loadUncached(on)))
    await restart(on)
  })
})
