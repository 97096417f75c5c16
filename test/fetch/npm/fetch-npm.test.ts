import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { stageBundle } from '../../../src/bundle/stage-bundle.ts'
import { verifyArtifact } from '../../../src/bundle/verify-artifact.ts'
import { GsdError } from '../../../src/errors.ts'
import { listNpmVersions } from '../../../src/fetch/npm/npm-versions.ts'
import { realDisk } from '../../../src/platform/disk.ts'
import type { Contact } from '../../../src/state/config/policy.ts'
import { type FetchFixtureOptions, useFetchFixture } from '../../helpers/fetch-fixture.ts'
import { integrityOf, type RegistryOptions, startRegistry } from '../../helpers/npm-registry.ts'
import type { TestServer } from '../../helpers/servers.ts'

const room = useFetchFixture()
const open: TestServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})

/** Starts a registry and sets it in the user's `.npmrc`. */
const registry = async (options: RegistryOptions, npmrc = ''): Promise<TestServer> => {
  const web = await startRegistry(options)
  open.push(web)
  fs.writeFileSync(room.at('home/.npmrc'), `registry=${web.url}/\n${npmrc}`)
  return web
}

/** The real npm, with a record of its runs and their arguments. */
const counted = (): { readonly env: Record<string, string>; runs(): readonly string[] } => {
  const bin = room.at('bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> ${room.at('runs')}\nPATH="\${PATH#*:}" exec npm "$@"\n`, {
    mode: 0o755,
  })
  return {
    env: { PATH: `${bin}:${process.env['PATH']}` },
    runs: () => (fs.existsSync(room.at('runs')) ? fs.readFileSync(room.at('runs'), 'utf8').trim().split('\n') : []),
  }
}

const fileOf = async (text: string, choices: FetchFixtureOptions = {}): Promise<string> => {
  const { source } = await room.fetch(text, choices)
  return source.kind === 'archive' ? source.file : ''
}
const leftovers = (): readonly string[] =>
  fs.existsSync(room.at('cache/npm')) ? fs.readdirSync(room.at('cache/npm')) : []

const MANY = { cap: { '1.0.0': {}, '1.2.0': {}, '2.0.0-rc.1': {}, '1.9.0': {} } }

describe('a package', () => {
  test.each([
    ['npm:cap', '1.9.0'],
    ['npm:cap@latest', '1.9.0'],
    ['npm:cap@next', '2.0.0-rc.1'],
    ['npm:cap@1.2.0', '1.2.0'],
    ['npm:cap@^1.0.0', '1.9.0'],
    ['npm:cap@1.0.x || 1.2.x', '1.2.0'],
  ])('%s is version %s, fetched with one run of npm', async (text, version) => {
    await registry({ packages: MANY, tags: { next: '2.0.0-rc.1' } })
    const npm = counted()
    const fetched = await room.fetch(text, { env: npm.env })
    expect(fetched).toMatchObject({ path: null, resolved: { kind: 'npm', version }, notes: [] })
    expect(fetched.statedIntegrities).toEqual([
      { value: expect.stringMatching(/^sha512-/), statedBy: 'the npm registry' },
    ])
    expect(npm.runs()).toHaveLength(1)
    expect(leftovers()).toEqual([])
    const { source } = fetched
    if (source.kind !== 'archive') throw new Error('no archive')
    expect(await verifyArtifact(source.file, fetched.statedIntegrities)).toBe(fetched.statedIntegrities[0]?.value)
    const bundle = await stageBundle(source, { into: room.at('staged'), disk: realDisk })
    expect(bundle.files.map(({ path }) => path)).toEqual(['capability.json', 'package.json'])
  })

  test('of a scope comes from the registry that the user set for it, with the token', async () => {
    await registry({ packages: {} })
    const scoped = await startRegistry({ packages: { '@org/cap': { '1.0.0': {} } }, token: 's3cr3t' })
    open.push(scoped)
    fs.appendFileSync(
      room.at('home/.npmrc'),
      `@org:registry=${scoped.url}/\n//localhost:${scoped.port}/:_authToken=\${MY_TOKEN}\n`,
    )
    expect((await room.fetch('npm:@org/cap', { env: { MY_TOKEN: 's3cr3t' } })).resolved).toEqual({
      kind: 'npm',
      version: '1.0.0',
    })
    const error = await room.failure('npm:@org/cap', { env: { MY_TOKEN: 'wr0ng' } })
    expect(error).toMatchObject({ code: 'FETCH_AUTH', exitStatus: 5, hint: expect.stringContaining('npm login') })
    expect(JSON.stringify(error)).not.toContain('wr0ng')
  })

  test('never runs a script, and none of its dependencies is fetched', async () => {
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'postpack'].map((name) => [
        name,
        `touch ${room.at('ran')}`,
      ]),
    )
    const web = await registry({
      packages: {
        cap: { '1.0.0': { scripts, dependencies: { evil: '*', git: 'git+https://localhost:1/x.git' } } },
        evil: { '1.0.0': {} },
      },
    })
    await room.fetch('npm:cap')
    expect(fs.existsSync(room.at('ran'))).toBe(false)
    expect(web.requests.some(({ url }) => url?.includes('evil'))).toBe(false)
  })

  test("is requested outside any project's .npmrc, wherever the cache is", async () => {
    await registry({ packages: MANY })
    const evil = await startRegistry({ packages: { cap: { '6.6.6': {} } } })
    open.push(evil)
    for (const folder of [room.at(), room.at('cache')]) {
      fs.mkdirSync(folder, { recursive: true })
      fs.writeFileSync(join(folder, '.npmrc'), `registry=${evil.url}/\n`)
      fs.writeFileSync(join(folder, 'package.json'), '{"workspaces":["cache/npm/*"]}')
    }
    const env = { npm_config_workspace: 'cap', NPM_CONFIG_WORKSPACES: 'true', npm_config_global: 'true' }
    expect((await room.fetch('npm:cap', { env })).resolved.version).toBe('1.9.0')
    expect(evil.requests).toEqual([])
  })

  test('comes from the machine-wide registry if the user set none', async () => {
    const web = await registry({ packages: MANY })
    fs.rmSync(room.at('home/.npmrc'))
    fs.mkdirSync(room.at('machine/etc'), { recursive: true })
    fs.writeFileSync(room.at('machine/etc/npmrc'), `registry=${web.url}/\n`)
    expect((await room.fetch('npm:cap', { env: { npm_config_prefix: room.at('machine') } })).resolved.version).toBe(
      '1.9.0',
    )
  })

  test('that is deprecated is fetched with a warning', async () => {
    await registry({ packages: { cap: { '1.0.0': { deprecated: 'use other' } } } })
    expect((await room.fetch('npm:cap')).notes).toEqual(['"cap@1.0.0" is deprecated: use other'])
  })

  test('of a registry that forbids caching its answers takes a second run', async () => {
    await registry({ packages: MANY, noStore: true })
    const npm = counted()
    const fetched = await room.fetch('npm:cap@1.2.0', { env: npm.env })
    expect(fetched.statedIntegrities).toEqual([
      { value: expect.stringMatching(/^sha512-/), statedBy: 'the npm registry' },
    ])
    expect(npm.runs()).toHaveLength(2)
  })
})

describe('the integrity that the registry states', () => {
  test('is enforced: another file in its place is refused', async () => {
    await registry({ packages: { cap: { '1.0.0': { bytes: Buffer.from('another file') } } } })
    expect(await room.failure('npm:cap')).toMatchObject({ code: 'INTEGRITY_MISMATCH', exitStatus: 3 })
    expect(leftovers()).toEqual([])
  })

  test.each([
    ['a sha1', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['two sha512', { integrity: `sha512-${'A'.repeat(86)}== sha512-${'B'.repeat(86)}==` }],
    ['the right sha512 and another', { integrity: `${integrityOf('cap')} sha512-${'B'.repeat(86)}==` }],
    ['a sha512 and a sha1', { integrity: `${integrityOf('cap')} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` }],
    ['a sha256', { integrity: `sha256-${'A'.repeat(43)}=` }],
    ['half a sha512', { integrity: 'sha512-AAAA' }],
    ['a sha512 with options', { integrity: `${integrityOf('cap')}?x` }],
    ['nothing but a shasum', { integrity: undefined }],
    ['an empty integrity and a shasum', { integrity: '' }],
  ])('must be one sha512: %s is refused', async (_what, dist) => {
    await registry({ packages: { cap: { '1.0.0': { dist } } } })
    const error = await room.failure('npm:cap')
    expect(error.code).toMatch(/^INTEGRITY_/)
    expect(error.exitStatus).toBe(3)
    expect(leftovers()).toEqual([])
  })

  test('that is missing altogether gives a warning', async () => {
    await registry({ packages: { cap: { '1.0.0': { dist: { integrity: undefined, shasum: undefined } } } } })
    const fetched = await room.fetch('npm:cap')
    expect([fetched.statedIntegrities, fetched.notes]).toEqual([[], [expect.stringContaining('states no integrity')]])
  })

  test.each(['file:///etc/passwd', 'git+https://localhost:1/o/r.git', '../../etc', 'git@localhost:o/r.git'])(
    'does not make %s acceptable instead of a tarball',
    async (tarball) => {
      await registry({ packages: { cap: { '1.0.0': { dist: { tarball, integrity: undefined, shasum: undefined } } } } })
      expect((await room.failure('npm:cap')).exitStatus).toBe(5)
    },
  )
})

describe('failures', () => {
  test("an unknown package is named, with npm's own reason", async () => {
    await registry({ packages: {} })
    const error = await room.failure('npm:capp')
    expect(error).toMatchObject({ code: 'FETCH_NOT_FOUND', exitStatus: 5, hint: expect.stringContaining('spelling') })
    expect(error.message).toMatch(/npm says: Not Found/)
    expect(error.message).not.toContain('\n')
  })

  test('an unknown version, range or tag is answered with the newest ones', async () => {
    await registry({ packages: MANY, tags: { next: '2.0.0-rc.1' } })
    for (const text of ['npm:cap@3.0.0', 'npm:cap@^7', 'npm:cap@beta']) {
      expect(await room.failure(text)).toMatchObject({
        code: 'FETCH_NO_VERSION',
        exitStatus: 5,
        hint: 'its newest versions are 2.0.0-rc.1, 1.9.0, 1.2.0, 1.0.0; its tags are latest, next',
      })
    }
  })

  test('an unreachable registry is distinguished from an unknown package', async () => {
    fs.writeFileSync(room.at('home/.npmrc'), 'registry=http://localhost:1/\nfetch-retries=0\n')
    expect(await room.failure('npm:cap')).toMatchObject({
      code: 'FETCH_NETWORK',
      hint: expect.stringContaining('npm ping'),
    })
  })

  test('without npm on the PATH there is one clear error', async () => {
    const error = await room.failure('npm:cap', { env: { PATH: room.at('home') } })
    expect(error).toMatchObject({ code: 'FETCH_NO_NPM', exitStatus: 5, hint: expect.stringContaining('install npm') })
    expect(leftovers()).toEqual([])
  })

  test('Ctrl-C ends npm and leaves nothing behind', async () => {
    const controller = new AbortController()
    const web = await registry({ packages: MANY })
    const slow = await import('../../helpers/servers.ts').then(({ startHttpServer: startPlainWeb }) =>
      startPlainWeb(() => controller.abort()),
    )
    open.push(slow)
    fs.writeFileSync(room.at('home/.npmrc'), `registry=${slow.url}/\n`)
    expect(await room.failure('npm:cap', { signal: controller.signal })).toMatchObject({ code: 'INTERRUPTED' })
    expect(fs.existsSync(room.at('cache'))).toBe(false)
    expect(web.requests).toEqual([])
  })
})

describe('the cache', () => {
  test('answers offline for an exact version that was fetched, and for nothing else', async () => {
    const web = await registry({ packages: MANY })
    expect(await room.failure('npm:cap@1.2.0', { offline: true })).toMatchObject({
      code: 'FETCH_OFFLINE',
      exitStatus: 5,
    })
    const file = await fileOf('npm:cap@1.2.0')
    const asked = web.requests.length
    const none = { PATH: room.at('home') }
    expect(await room.fetch('npm:cap@1.2.0', { offline: true, env: none })).toMatchObject({
      resolved: { kind: 'npm', version: '1.2.0' },
    })
    expect(await fileOf('npm:cap@1.2.0', { offline: true, env: none })).toBe(file)
    for (const text of ['npm:cap', 'npm:cap@^1', 'npm:cap@latest', 'npm:cap@1.9.0']) {
      expect(await room.failure(text, { offline: true }), text).toMatchObject({ code: 'FETCH_OFFLINE' })
    }
    expect(web.requests).toHaveLength(asked)
  })

  test('serves a package of stated integrity without a run, and requests others again', async () => {
    await registry({ packages: MANY })
    const npm = counted()
    const { statedIntegrities } = await room.fetch('npm:cap@1.2.0', { env: npm.env })
    await room.fetch('npm:cap@1.2.0', { env: npm.env, expectedIntegrity: statedIntegrities[0]?.value ?? '' })
    expect(npm.runs()).toHaveLength(1)
    await room.fetch('npm:cap@1.2.0', { env: npm.env })
    expect(npm.runs()).toHaveLength(2)
  })
})

test('policy is checked for the package before any request, cached or not', async () => {
  const web = await registry({ packages: { '@org/cap': { '1.0.0': {} } } })
  await room.fetch('npm:@org/cap@1.0.0')
  const asked = web.requests.length
  const seen: Contact[] = []
  const checkPolicy = (contact: Contact): never => {
    seen.push(contact)
    throw new GsdError('POLICY_REFUSED', 'no')
  }
  for (const offline of [false, true]) {
    expect(await room.failure('npm:@org/cap@1.0.0', { checkPolicy, offline })).toMatchObject({ code: 'POLICY_REFUSED' })
  }
  const asking = { kind: 'npm', name: '@org/cap', catalog: null }
  expect(seen).toEqual([asking, asking])
  expect(web.requests).toHaveLength(asked)
})

test('all versions of a package are listed, newest first, from one run', async () => {
  await registry({ packages: MANY })
  const npm = counted()
  const spec = { kind: 'npm', name: 'cap', selector: null } as const
  expect(await listNpmVersions(spec, room.context({ env: npm.env }))).toEqual(['2.0.0-rc.1', '1.9.0', '1.2.0', '1.0.0'])
  await registry({ packages: { cap: { '1.0.0': {} } }, noStore: true })
  expect(await listNpmVersions(spec, room.context({ env: npm.env }))).toEqual(['1.0.0'])
  expect(npm.runs()).toHaveLength(2)
})
