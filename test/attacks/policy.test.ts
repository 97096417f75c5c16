import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { info } from '../../src/operation/info.ts'
import { installIn, syncIn, updateIn } from '../helpers/operations.ts'
import { refusalOf, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const USER = 'home/.gsd/policy.json'
const PROJECT = 'project/.planning/config.json'

const userPolicy = (list: unknown): string =>
  scratch.put(USER, JSON.stringify({ schema: 1, strict_known_registries: list }))
const projectPolicy = (list: unknown): string =>
  scratch.put(PROJECT, JSON.stringify({ capabilities: { strict_known_registries: list } }))

/** Runs an operation that must be refused and change only the cache. */
const refused = async (work: () => unknown): Promise<GsdError> => {
  const state = (): string[] => scratch.tree().filter((line) => !line.startsWith('cache'))
  const before = state()
  const error = await refusalOf(work)
  expect(state()).toEqual(before)
  return error
}

const REFUSED = { code: 'POLICY_REFUSED', exitStatus: 3 }

/** No host below `invalid` exists: a request that policy does not stop would fail by the network. */
const OUTSIDE = [
  'https://git.acme.invalid/o/r.git',
  'https://git.acme.invalid/o/r.git#v1.0.0',
  'git+https://git.acme.invalid/o/r',
  'ssh://git@git.acme.invalid/o/r.git',
  'git@git.acme.invalid:o/r.git',
  'https://cdn.acme.invalid/x.tgz',
  'https://cdn.acme.invalid/x.tar.gz?v=1',
  'github:o/r',
  'gitlab:o/r',
  'bitbucket:o/r',
  'https://github.com/o/r',
  'npm:left',
  'npm:@acme/left@^1',
]

describe('a source from outside that policy does not allow is refused before any request', () => {
  test.each(OUTSIDE)('%s', async (spec) => {
    const file = userPolicy([])
    const error = await refused(() => scratch.install(spec))
    expect(error).toMatchObject({ ...REFUSED, details: { file, origin: 'user' } })
    expect(error.message).toContain(file)
  })

  test.each(OUTSIDE)('%s, by the project alone', async (spec) => {
    const file = projectPolicy(['elsewhere.invalid'])
    const error = await refused(() => scratch.install(spec, { scope: 'project' }))
    expect(error).toMatchObject({ ...REFUSED, details: { file, origin: 'project' } })
  })

  test('although the project allows it: a project can narrow, never widen', async () => {
    userPolicy(['elsewhere.invalid'])
    projectPolicy(['git.acme.invalid'])
    const error = await refused(() => scratch.install('https://git.acme.invalid/o/r.git'))
    expect(error).toMatchObject({ ...REFUSED, details: { origin: 'user' } })
  })

  test.each([
    'https://github.com.evil.invalid/o/r.git',
    'https://notgithub.com/o/r.git',
    'https://evil.invalid/github.com/o/r.git',
    'ssh://github.com@evil.invalid/o/r.git',
  ])('%s, although it resembles an allowed host', async (spec) => {
    userPolicy(['github.com'])
    expect(await refused(() => scratch.install(spec))).toMatchObject(REFUSED)
  })

  test("a host that the user's git rewrites to another one", async () => {
    userPolicy(['github.com'])
    scratch.put('home/.gitconfig', '[url "https://evil.invalid/"]\n\tinsteadOf = https://github.com/\n')
    const error = await refused(() => scratch.install('github:o/r'))
    expect(error).toMatchObject(REFUSED)
    expect(error.message).toContain('evil.invalid')
  })
})

test('a redirect to a host that policy does not allow is not followed', async () => {
  userPolicy(['127.0.0.1'])
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.host ?? '')
    const { port } = server.address() as AddressInfo
    response.writeHead(302, { location: `http://localhost:${port}/y.tgz` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const error = await refused(() => scratch.install(`http://127.0.0.1:${port}/x.tgz`, { allowHttp: true }))
    expect(error).toMatchObject({ ...REFUSED, details: { contact: { kind: 'host', host: 'localhost' } } })
    expect(asked).toEqual([`127.0.0.1:${port}`])
  } finally {
    server.close()
  }
})

describe('an invalid policy refuses everything from outside', () => {
  test.each([
    ['a text for the list', '{"schema":1,"strict_known_registries":"github.com"}'],
    ['an object for the list', '{"schema":1,"strict_known_registries":{"github.com":true}}'],
    ['a number in the list', '{"schema":1,"strict_known_registries":["github.com",1]}'],
    ['false for the list', '{"schema":1,"strict_known_registries":false}'],
    ['the list twice', '{"strict_known_registries":[],"strict_known_registries":["github.com"]}'],
    ['broken JSON', '{"strict_known_registries":["github.com"]'],
    ['an empty file', ''],
    ['a newer version', '{"schema":99,"strict_known_registries":["github.com"]}'],
    ['an array', '["github.com"]'],
  ])('%s', async (_what, text) => {
    scratch.put(USER, text)
    expect(await refused(() => scratch.install('github:o/r'))).toMatchObject(REFUSED)
  })

  test.each([
    ['a folder', (file: string) => mkdirSync(file, { recursive: true })],
    [
      'a FIFO',
      (file: string) => (mkdirSync(scratch.path('home/.gsd'), { recursive: true }), execFileSync('mkfifo', [file])),
    ],
  ])('%s in its place', async (_what, make) => {
    make(scratch.path(USER))
    expect(await refused(() => scratch.install('github:o/r'))).toMatchObject(REFUSED)
    expect(await scratch.install(scratch.bundle('guard'))).toMatchObject({ installed: [{ id: 'guard' }] })
  })

  test.each([
    ['a member on the way is a text', '{"capabilities":"x"}'],
    ['the list is a text', '{"capabilities":{"strict_known_registries":"github.com"}}'],
    ['the file is broken', '{'],
  ])('in the project, where %s', async (_what, text) => {
    scratch.put(PROJECT, text)
    expect(await refused(() => scratch.install('github:o/r'))).toMatchObject(REFUSED)
  })
})

describe('a source on this machine', () => {
  test('is not from outside: a folder, a file url, a repository', async () => {
    userPolicy([])
    const bundle = scratch.bundle('guard')
    expect(await scratch.install(bundle)).toMatchObject({ installed: [{ id: 'guard' }] })
    expect(await scratch.install(`file://${encodeURI(bundle)}`)).toMatchObject({ unchanged: ['guard'] })
    const repository = scratch.bundle('tracked', { to: 'tracked.git' })
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
        cwd: repository,
        stdio: 'ignore',
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'one')
    expect(await scratch.install(`git+file://${encodeURI(repository)}`)).toMatchObject({
      installed: [{ id: 'tracked' }],
    })
  })

  test.each([
    '\\\\host\\share\\x',
    '//host/share/x',
    '//host/share/x.tgz',
    'file://host/share/x',
    'file:////host/share/x',
  ])('does not include the network path %s, with or without a policy', async (spec) => {
    for (const list of [undefined, []]) {
      if (list !== undefined) userPolicy(list)
      expect(await refused(() => scratch.install(spec))).toMatchObject({ code: 'SPEC_REFUSED', exitStatus: 2 })
    }
  })
})

describe('policy applies after the install too', () => {
  const LEDGER = (spec: string): string =>
    JSON.stringify({
      schema: 1,
      capabilities: {
        guard: {
          version: '1.0.0',
          spec,
          resolved: { kind: 'git', url: 'https://git.acme.invalid/o/r.git', commit: '0'.repeat(40) },
          integrity: null,
          digest: `sha512-${'A'.repeat(86)}==`,
          requires: [],
          surfaces: `sha512-${'A'.repeat(86)}==`,
          runtimes: [],
        },
      },
    })

  test.each([
    [
      'sync',
      async () => {
        const { failed } = await syncIn(scratch.testContext().context, { scope: 'project' })
        for (const { error } of failed) throw new GsdError(error.code, error.message)
      },
    ],
    ['update', () => updateIn(scratch.testContext().context, 'guard', { scope: 'project' })],
  ])('to %s of a ledger from a repository', async (_what, work) => {
    userPolicy(['github.com'])
    scratch.put('project/.gsd/ledger.json', LEDGER('https://git.acme.invalid/o/r.git'))
    expect(await refused(work)).toMatchObject(REFUSED)
  })

  test('and info shows the verdict for a spec, and the file that decides', async () => {
    const file = userPolicy(['github.com'])
    projectPolicy(['git.acme.invalid'])
    const { policy } = await info(scratch.testContext().context, {
      target: 'https://git.acme.invalid/o/r.git',
      scope: null,
    })
    expect(policy).toMatchObject({ external: true, allowed: false, decides: file })
    expect(policy?.lists.map(({ origin }) => origin).toSorted()).toEqual(['project', 'user'])
    const local = await info(scratch.testContext().context, { target: scratch.bundle('guard'), scope: null })
    expect(local.policy).toMatchObject({ external: false, allowed: true, decides: null })
  })

  test('and info shows it for an installed capability', async () => {
    await installIn(scratch.testContext().context, scratch.bundle('guard'))
    const ledger = scratch.text('home/.gsd/ledger.json')
    scratch.put('home/.gsd/ledger.json', ledger.replace('"../bundles/guard"', '"https://git.acme.invalid/o/r.git"'))
    const file = userPolicy([])
    const { details } = await info(scratch.testContext().context, { target: 'guard', scope: null })
    expect(details[0]?.policy).toMatchObject({ external: true, allowed: false, decides: file })
  })
})

describe('the policy of the projects around a project', () => {
  const policyAt = (folder: string, list: unknown): string =>
    scratch.put(`${folder}/.planning/config.json`, JSON.stringify({ capabilities: { strict_known_registries: list } }))
  const REMOTE = 'https://git.acme.invalid/o/r.git'
  const from = (cwd: string) => scratch.testContext({ cwd: scratch.path(cwd) }).context

  test.each(['.gsd', '.planning', '.git'])('is not dropped by a %s in a subfolder', async (marker) => {
    const file = policyAt('project', [])
    mkdirSync(scratch.path('project/packages/app', marker), { recursive: true })
    const error = await refused(() => installIn(from('project/packages/app'), REMOTE, { scope: 'project' }))
    expect(error).toMatchObject({ ...REFUSED, details: { file } })
  })

  test('is not loosened by a list in a subfolder', async () => {
    policyAt('project', ['github.com'])
    policyAt('project/packages', ['git.acme.invalid', 'github.com'])
    policyAt('project/packages/app', ['git.acme.invalid'])
    expect(await refused(() => installIn(from('project/packages/app'), REMOTE))).toMatchObject(REFUSED)
  })

  test('holds for a project that is named from elsewhere, and by a link', async () => {
    policyAt('project', [])
    mkdirSync(scratch.path('project/sub/.gsd'), { recursive: true })
    symlinkSync(scratch.path('project/sub'), scratch.path('sub'))
    expect(await refused(() => installIn(from('sub'), REMOTE, { scope: 'project' }))).toMatchObject(REFUSED)
  })

  test('that cannot be read refuses everything from outside', async () => {
    scratch.put('project/.planning/config.json', '{')
    mkdirSync(scratch.path('project/sub/.gsd'), { recursive: true })
    expect(await refused(() => installIn(from('project/sub'), REMOTE))).toMatchObject(REFUSED)
  })

  test("is not that of the user's home, which is no project", async () => {
    policyAt('home', [])
    mkdirSync(scratch.path('home/work/.git'), { recursive: true })
    const error = await refusalOf(() => installIn(from('home/work'), REMOTE, { scope: 'project' }))
    expect(error.code).not.toBe('POLICY_REFUSED')
  })
})
