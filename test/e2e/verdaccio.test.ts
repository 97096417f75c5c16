import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { filesOf } from '../helpers/releases.ts'

/** `verdaccio-audit` requires `node-fetch` by a dist-tag, which the overrides in `package.json` pin to a version. */
const VERDACCIO = createRequire(import.meta.url).resolve('verdaccio/bin/verdaccio')
/** Milliseconds until its first answer. */
const PATIENCE = 50_000

let machine: Machine
let registry: ChildProcess
let url: string
let token: string

beforeEach(async () => {
  machine = makeMachine('gsd-verdaccio')
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const config = put('registry/config.yaml', CONFIG)
  registry = spawn(process.execPath, [VERDACCIO, '--config', config, '--listen', `127.0.0.1:${port}`], {
    cwd: dirname(config),
    env: machine.env,
    stdio: 'ignore',
  })
  await answering()
  token = await addUser()
  put('home/.npmrc', `@acme:registry=${url}/\n//127.0.0.1:${port}/:_authToken=${token}\n`)
})
afterEach(async () => {
  if (registry.exitCode === null && registry.signalCode === null) {
    const ended = new Promise((resolve) => registry.once('close', resolve))
    registry.kill('SIGKILL')
    await ended
  }
  machine.remove()
})

/** Everything requires a user, and there is no uplink. */
const CONFIG = `storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
uplinks: {}
packages:
  '**':
    access: $authenticated
    publish: $authenticated
web:
  enable: false
log: { type: stdout, format: pretty, level: fatal }
`

const put: Machine['put'] = (...args) => machine.put(...args)

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answering = async (): Promise<void> => {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await after(200)) {
    const ping = await fetch(`${url}/-/ping`).catch(() => null)
    if (ping?.ok === true) return
    if (registry.exitCode !== null) throw new Error(`verdaccio ended with ${registry.exitCode}`)
  }
  throw new Error('verdaccio does not answer')
}

const addUser = async (): Promise<string> => {
  const answer = await fetch(`${url}/-/user/org.couchdb.user:author`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'author', password: 'a long enough password' }),
  })
  return ((await answer.json()) as { readonly token: string }).token
}

/** Publishes with the user's own npm. */
const publish = async (version: string, text: string): Promise<void> => {
  const files = { ...filesOf('notes', { version, files: { 'README.md': text } }) }
  for (const [path, content] of Object.entries(files)) put(`package/${path}`, content)
  put('package/package.json', JSON.stringify({ name: '@acme/notes', version }))
  await promisify(execFile)('npm', ['publish', '--loglevel=error', '--no-update-notifier'], {
    cwd: join(machine.root, 'package'),
    env: { ...machine.env, npm_config_cache: join(machine.root, 'npm-cache') },
    timeout: PATIENCE,
  })
}

const integrityOf = async (version: string): Promise<string | undefined> => {
  const answer = await fetch(`${url}/@acme%2fnotes`, { headers: { authorization: `Bearer ${token}` } })
  const { versions } = (await answer.json()) as {
    readonly versions: Readonly<Record<string, { readonly dist: { readonly integrity: string } }>>
  }
  return versions[version]?.dist.integrity
}

const recorded = (): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(machine.home, '.gsd/ledger.json'), 'utf8')).capabilities.notes

describe('a private scope of verdaccio', () => {
  it("is published to, installed from and updated from, as the user's .npmrc says", async () => {
    await publish('1.0.0', 'first\n')
    const installed = await machine.gsd(['cap', 'install', 'npm:@acme/notes@^1', '--yes', '--json'])
    expect(installed).toMatchObject({ status: 0 })
    expect(installed.json.data).toMatchObject({ installed: [{ id: 'notes', version: '1.0.0' }] })
    expect(recorded()).toMatchObject({ spec: 'npm:@acme/notes@^1', integrity: await integrityOf('1.0.0') })

    await publish('1.1.0', 'second\n')
    const updated = await machine.gsd(['cap', 'update', 'notes', '--yes', '--json'])
    expect(updated).toMatchObject({ status: 0 })
    expect(updated.json.data).toMatchObject({ updated: [{ id: 'notes', from: '1.0.0', version: '1.1.0' }] })
    expect(recorded()).toMatchObject({ version: '1.1.0', integrity: await integrityOf('1.1.0') })
    expect(readFileSync(join(machine.home, '.gsd/capabilities/notes/README.md'), 'utf8')).toBe('second\n')

    put('home/.npmrc', `@acme:registry=${url}/\n`)
    const unauthenticated = await machine.gsd(['cap', 'update', 'notes', '--yes', '--json'])
    expect(unauthenticated).toMatchObject({ status: 5 })
    expect(unauthenticated.json.error).toMatchObject({ code: 'FETCH_AUTH' })
    expect(unauthenticated.stdout + unauthenticated.stderr).not.toContain(token)
  })
})
