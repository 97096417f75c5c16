import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stageBundle } from '../../../src/bundle/stage-bundle.ts'
import { GsdError } from '../../../src/errors.ts'
import { realDisk } from '../../../src/platform/disk.ts'
import type { Contact } from '../../../src/state/config/policy.ts'
import { type FetchFixtureOptions, useFetchFixture } from '../../helpers/fetch-fixture.ts'
import { type BackendOptions, gitBackend, makeRepository, type Repository } from '../../helpers/git.ts'
import { startHttpsServer, startProxy, type TestServer } from '../../helpers/servers.ts'

const room = useFetchFixture()
let repo: Repository
let commits: readonly string[]
const open: TestServer[] = []
beforeEach(() => {
  repo = makeRepository(room.at('srv/repo'))
  commits = ['one', 'two', 'three'].map((note) =>
    repo.commit({
      'capability.json': JSON.stringify({ note }),
      'sub/capability.json': JSON.stringify({ note: `sub ${note}` }),
      'beside.bin': note.repeat(1000),
    }),
  )
  repo.git('tag', 'v1.0.0', commits[0] ?? '')
  repo.git('tag', '-a', '-m', 'two', 'v1.1.0', commits[1] ?? '')
  fs.renameSync(join(repo.dir, '.git'), room.at('srv/repo.git'))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})
const started = async (web: Promise<TestServer>): Promise<TestServer> => {
  open.push(await web)
  return web
}
const serve = (options: BackendOptions = {}): Promise<TestServer> =>
  started(startHttpsServer(gitBackend(room.at('srv'), options)))

let count = 0
const noteOf = async (text: string, choices: FetchFixtureOptions = {}): Promise<string> => {
  const { source, path } = await room.fetch(text, choices)
  const { dir } = await stageBundle(source, { into: room.at(`staged-${count++}`), disk: realDisk, path })
  return (JSON.parse(fs.readFileSync(join(dir, 'capability.json'), 'utf8')) as { note: string }).note
}

describe('over https', () => {
  test('a tag, a branch, a commit that is no tip and a subfolder can be fetched', async () => {
    const { url } = await serve()
    expect(await noteOf(`${url}/repo.git#v1.0.0`)).toBe('one')
    expect(await noteOf(`${url}/repo.git`)).toBe('two')
    expect(await noteOf(`${url}/repo.git#main`)).toBe('three')
    expect(await noteOf(`${url}/repo.git#${commits[1]}&path:sub`)).toBe('sub two')
  })

  test('only the wanted commit is sent, without its history', async () => {
    const { url } = await serve()
    await room.fetch(`${url}/repo.git#main`)
    const [folder = ''] = fs.readdirSync(room.at('cache/git'))
    const shallow = fs.readFileSync(room.at('cache/git', folder, commits[2] ?? '', 'shallow'), 'utf8')
    expect(shallow.trim()).toBe(commits[2])
  })

  test('a server of the old protocol, which serves no commit by its id, gets other requests', async () => {
    const { url } = await serve({ old: true })
    expect(await noteOf(`${url}/repo.git#v1.1.0`)).toBe('two')
    expect(await noteOf(`${url}/repo.git#${commits[0]}`)).toBe('one')
    expect(await noteOf(`${url}/repo.git#v1.0.0&path:sub`)).toBe('sub one')
  })

  test('a commit that no ref points to is fetched with the history, if nothing else helps', async () => {
    fs.renameSync(room.at('srv/repo.git'), join(repo.dir, '.git'))
    const between = repo.commit({ 'capability.json': '{"note":"between"}' })
    repo.commit({ 'capability.json': '{"note":"last"}' })
    fs.renameSync(join(repo.dir, '.git'), room.at('srv/repo.git'))
    const { url } = await serve({ old: true })
    expect(await noteOf(`${url}/repo.git#${between}`)).toBe('between')
    expect(await noteOf(`${url}/repo.git#${between}&path:sub`)).toBe('sub three')
    const missing = '0123456789'.repeat(4)
    expect(await room.failure(`${url}/repo.git#${missing}`)).toMatchObject({ code: 'FETCH_NO_REF' })
  })

  test('a server that filters but serves no blobs by id sends the complete commit', async () => {
    const { url } = await serve({ old: true, config: { 'uploadpack.allowFilter': 'true' } })
    expect(await noteOf(`${url}/repo.git#v1.0.0&path:sub`)).toBe('sub one')
    expect(await noteOf(`${url}/repo.git#v1.0.0&path:sub`, { offline: true })).toBe('sub one')
  })

  test('a certificate of an unknown authority is refused with a hint', async () => {
    const { url } = await serve()
    const error = await room.failure(`${url}/repo.git#main`, {
      env: { GIT_SSL_CAINFO: '/etc/ssl/certs/ca-certificates.crt' },
    })
    expect(error).toMatchObject({ code: 'FETCH_NETWORK', hint: expect.stringContaining('GIT_SSL_CAINFO') })
  })

  test('through a proxy of the environment the fetch works', async () => {
    const [{ url, port }, proxy] = [await serve(), await started(startProxy())]
    expect(await noteOf(`${url}/repo.git#main`, { env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } })).toBe(
      'three',
    )
    expect(new Set(proxy.requests.map((asked) => asked.url))).toEqual(new Set([`localhost:${port}`]))
  })

  test('a missing repository and an unreachable server are distinguished', async () => {
    const { url } = await serve()
    expect(await room.failure(`${url}/nothing.git#main`)).toMatchObject({ code: 'FETCH_NOT_FOUND', exitStatus: 5 })
    expect(await room.failure('https://127.0.0.1:1/x.git#main')).toMatchObject({ code: 'FETCH_NETWORK' })
    expect(await room.failure('https://no-such-host.invalid/x.git')).toMatchObject({
      code: 'FETCH_NETWORK',
      hint: expect.stringContaining('spelling'),
    })
  })

  test('a page instead of a repository is refused', async () => {
    const web = await started(startHttpsServer((_request, response) => void response.end('<!doctype html>Sign in')))
    expect(await room.failure(`${web.url}/repo.git#main`)).toMatchObject({ exitStatus: 5 })
  })
})

describe('a private repository', () => {
  const SECRET = 'p4ss-w0rd'

  test("without credentials is refused at once, with git's own words, and without a prompt", async () => {
    const { url } = await serve({ auth: `me:${SECRET}` })
    const error = await room.failure(`${url}/repo.git#main`)
    expect(error).toMatchObject({
      code: 'FETCH_AUTH',
      exitStatus: 5,
      hint: expect.stringContaining('credential helper'),
    })
    expect(error.message).toContain('could not read Username')
  })

  test("is fetched with the user's credential helper", async () => {
    const { url } = await serve({ auth: `me:${SECRET}` })
    fs.writeFileSync(
      room.at('home/.gitconfig'),
      `[credential]\n\thelper = "!f() { echo username=me; echo password=${SECRET}; }; f"\n`,
    )
    expect(await noteOf(`${url}/repo.git#v1.0.0`)).toBe('one')
  })

  test('is fetched with GIT_ASKPASS, and with ~/.netrc', async () => {
    const { url } = await serve({ auth: `me:${SECRET}` })
    fs.writeFileSync(room.at('ask'), `#!/bin/sh\ncase "$1" in Username*) echo me;; *) echo ${SECRET};; esac\n`, {
      mode: 0o755,
    })
    expect(await noteOf(`${url}/repo.git#v1.0.0`, { env: { GIT_ASKPASS: room.at('ask') } })).toBe('one')
    fs.writeFileSync(room.at('home/.netrc'), `machine localhost login me password ${SECRET}\n`, { mode: 0o600 })
    expect(await noteOf(`${url}/repo.git#main`)).toBe('three')
  })

  test("is fetched with the header of the user's configuration, which no argument or message shows", async () => {
    const { url } = await serve({ header: { name: 'private-token', value: SECRET } })
    const auth = { localhost: { kind: 'header', header: `PRIVATE-TOKEN: ${SECRET}` } } as const
    const bin = room.at('bin')
    fs.mkdirSync(bin)
    fs.writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\necho "$@" >> ${room.at('argv')}\nexec /usr/bin/env PATH="\${PATH#*:}" git "$@"\n`,
      { mode: 0o755 },
    )
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    expect(await noteOf(`${url}/repo.git#v1.0.0`, { auth, env })).toBe('one')
    expect(fs.readFileSync(room.at('argv'), 'utf8')).toMatch(/fetch --progress/)
    expect(fs.readFileSync(room.at('argv'), 'utf8')).not.toContain(SECRET)
    const wrong = await room.failure(`${url}/repo.git#main`, {
      auth: { localhost: { kind: 'header', header: 'PRIVATE-TOKEN: wr0ng-one' } },
    })
    expect([wrong.code, wrong.hint]).toEqual(['FETCH_AUTH', expect.stringMatching(/^check the header for localhost/)])
    expect(JSON.stringify(wrong)).not.toContain('wr0ng-one')
  })

  test('keeps the git settings that are in the environment', async () => {
    const { url } = await serve({ header: { name: 'private-token', value: SECRET } })
    const env = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `http.${url}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `private-token: ${SECRET}`,
    }
    expect(await noteOf(`${url}/repo.git#v1.0.0`, { env })).toBe('one')
    const auth = { localhost: { kind: 'header', header: 'X-Other: 1' } } as const
    expect(await noteOf(`${url}/repo.git#main`, { env, auth })).toBe('three')
  })
})

describe('a repository that moved', () => {
  const redirect = (target: string) =>
    startHttpsServer(
      (request, response) => void response.writeHead(301, { location: target + (request.url ?? '') }).end(),
    )

  test('is followed to its new address', async () => {
    const { url } = await serve()
    const old = await started(redirect(url))
    expect(await noteOf(`${old.url}/repo.git#v1.0.0`)).toBe('one')
    expect(await noteOf(`${old.url}/repo.git#${commits[2]}`)).toBe('three')
  })

  test('to plain http is refused', async () => {
    const old = await started(redirect('http://localhost:1'))
    const error = await room.failure(`${old.url}/repo.git#main`, { allowHttp: true })
    expect(error.exitStatus).toBe(5)
    expect(error.message).toMatch(/http/)
  })

  test('in a loop is refused', async () => {
    let self = ''
    const web = await started(
      startHttpsServer(
        (request, response) => void response.writeHead(302, { location: self + (request.url ?? '') }).end(),
      ),
    )
    self = web.url
    expect((await room.failure(`${web.url}/repo.git#main`)).exitStatus).toBe(5)
  })

  test('is checked against policy at each host, before it is contacted', async () => {
    const target = await serve()
    const otherHost = target.url.replace('localhost', '127.0.0.1')
    const old = await started(redirect(otherHost))
    const seen: string[] = []
    const allow = (allowed: readonly string[]) => (contact: Contact) => {
      if (contact.kind !== 'host') throw new Error('a host')
      seen.push(contact.host)
      if (!allowed.includes(contact.host)) throw new GsdError('POLICY_REFUSED', contact.host)
    }
    expect(await room.failure(`${old.url}/repo.git#main`, { checkPolicy: allow(['localhost']) })).toMatchObject({
      code: 'POLICY_REFUSED',
      message: '127.0.0.1',
    })
    expect(target.requests).toEqual([])
    expect(await room.failure(`${old.url}/repo.git#main`, { checkPolicy: allow([]) })).toMatchObject({
      code: 'POLICY_REFUSED',
      message: 'localhost',
    })
    expect(await noteOf(`${old.url}/repo.git#main`, { checkPolicy: allow(['localhost', '127.0.0.1']) })).toBe('three')
    expect(seen).toContain('127.0.0.1')
  })

  test("does not receive the user's header at the new host", async () => {
    const target = await serve()
    const old = await started(redirect(target.url))
    const auth = { localhost: { kind: 'header', header: 'PRIVATE-TOKEN: s3cr3t' } } as const
    expect(await noteOf(`${old.url}/repo.git#main`, { auth })).toBe('three')
    expect(old.requests.some(({ headers }) => headers['private-token'] === 's3cr3t')).toBe(true)
    expect(target.requests.some(({ headers }) => headers['private-token'] !== undefined)).toBe(false)
  })
})

describe('insteadOf of the user', () => {
  test('is followed, and policy checks the host that is contacted', async () => {
    const { url } = await serve()
    fs.writeFileSync(
      room.at('home/.gitconfig'),
      `[url "${url}/"]\n\tinsteadOf = https://git.example.org/\n\tinsteadOf = https://\n[url "https://nowhere.invalid/"]\n\tinsteadOf = https://git\n`,
    )
    expect(await noteOf('https://git.example.org/repo.git#v1.0.0')).toBe('one')
    const allow = (host: string) => (contact: Contact) => {
      if (contact.kind === 'host' && contact.host !== host) throw new GsdError('POLICY_REFUSED', contact.host)
    }
    expect(await noteOf('https://git.example.org/repo.git#main', { checkPolicy: allow('localhost') })).toBe('three')
    expect(
      await room.failure('https://git.example.org/repo.git#main', { checkPolicy: allow('git.example.org') }),
    ).toMatchObject({ code: 'POLICY_REFUSED', message: 'localhost' })
  })

  test('to a forbidden protocol is refused', async () => {
    for (const [base, words] of [
      ['git://localhost/', 'git'],
      ['ext::sh -c touch% /tmp/x ', 'ext'],
      ['http://localhost:1/', 'http'],
    ] as const) {
      fs.writeFileSync(
        room.at('home/.gitconfig'),
        `[protocol]\n\tallow = always\n[url "${base}"]\n\tinsteadOf = https://git.example.org/\n`,
      )
      const error = await room.failure('https://git.example.org/repo.git#main')
      expect(error.message).toContain(`transport '${words}' not allowed`)
    }
  })
})

describe('over ssh', () => {
  /** Replaces ssh: records its arguments, and refuses as ssh does. */
  const fakeSsh = (stating: string): string => {
    const bin = room.at('bin')
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(
      join(bin, 'ssh'),
      `#!/bin/sh\necho "$@" >> ${room.at('argv')}\necho '${stating}' >&2\nexit 255\n`,
      {
        mode: 0o755,
      },
    )
    return `${bin}:${process.env['PATH']}`
  }
  const argv = (): string => fs.readFileSync(room.at('argv'), 'utf8')

  test.each([
    ['git@git.example.org: Permission denied (publickey).', 'FETCH_AUTH', 'ssh-add'],
    ['Host key verification failed.', 'FETCH_AUTH', 'connect once with ssh'],
    ['ssh: Could not resolve hostname git.example.org: Name or service not known', 'FETCH_NETWORK', 'spelling'],
    ['ssh: connect to host git.example.org port 22: Connection timed out', 'FETCH_TIMEOUT', 'network'],
    ['ssh: connect to host git.example.org port 22: Connection refused', 'FETCH_NETWORK', 'network'],
    ['kex_exchange_identification: Connection closed by remote host', 'FETCH_NETWORK', 'network'],
    ['Bad owner or permissions on /home/me/.ssh/config', 'FETCH_GIT', 'by hand'],
    ['@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @', 'FETCH_AUTH', 'its key has changed'],
  ])('%s is %s, with a hint', async (stating, code, hint) => {
    const error = await room.failure('git@git.example.org:o/r.git#main', { env: { PATH: fakeSsh(stating) } })
    expect(error).toMatchObject({ code, exitStatus: 5, hint: expect.stringContaining(hint) })
    expect(error.message).toContain(stating.split(': ').at(-1))
    expect(error.message).not.toContain('Could not read from remote')
    expect(argv()).toContain('-oBatchMode=yes')
  })

  test('is refused by a real host that rejects everybody', async () => {
    const error = await room.failure('ssh://git@127.0.0.1:1/o/r.git#main')
    expect(error).toMatchObject({ code: 'FETCH_NETWORK', message: expect.stringContaining('Connection refused') })
  })

  test("the user's own ssh command is kept", async () => {
    const PATH = fakeSsh('Permission denied (publickey).')
    fs.writeFileSync(room.at('home/.gitconfig'), '[core]\n\tsshCommand = ssh -i ~/.ssh/work\n')
    await room.failure('ssh://git@git.example.org/o/r.git', { env: { PATH } })
    expect(argv()).toMatch(/-i \S+\.ssh\/work -oBatchMode=yes/)
    fs.rmSync(room.at('argv'))
    await room.failure('ssh://git@git.example.org/o/r.git', { env: { PATH, GIT_SSH_COMMAND: 'ssh -F other' } })
    expect(argv()).toContain('-F other')
    expect(argv()).not.toContain('BatchMode')
  })

  test('policy checks the host, however it is written', async () => {
    for (const text of [
      'git@Git.Example.org:o/r.git',
      'ssh://git@git.example.org:2222/o/r.git',
      'git+ssh://git.example.org/o/r.git',
    ]) {
      const checkPolicy = ({ kind, ...rest }: Contact) => {
        throw new GsdError('POLICY_REFUSED', `${kind} ${'host' in rest ? rest.host : ''}`)
      }
      expect(await room.failure(text, { checkPolicy })).toMatchObject({
        code: 'POLICY_REFUSED',
        message: 'host git.example.org',
      })
    }
    expect(fs.existsSync(room.at('cache', 'git'))).toBe(false)
  })
})

test('progress is reported during a fetch', async () => {
  const { url } = await serve()
  await room.fetch(`${url}/repo.git#main`)
  const progress = room.reports.flatMap((report) => (report.kind === 'progress' ? [report.text] : []))
  expect(progress).toContain(`git: receiving ${url}/repo.git 100 %`)
})
