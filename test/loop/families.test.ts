import { existsSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evaluateGates, type FamilyOptions, runFamily } from '../../src/loop.ts'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import { grantConsent } from '../overlay/test-machine.ts'
import { feature, flag } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()

const FAMILY = { family: 'greet', module: 'router.cjs', router: 'route' }

const withFamily = (rest: Partial<FeatureManifest> = {}) => feature('a', { commands: [FAMILY], ...rest })

/** Installs a capability whose module is this text, with consent. */
const install = (module: string, rest: Partial<FeatureManifest> = {}): string =>
  loop.trusted(withFamily(rest), { [rest.commands?.[0]?.module ?? 'router.cjs']: module })

const run = async (args: readonly string[] = [], options: FamilyOptions = {}) => {
  let stdout = ''
  let stderr = ''
  const status = await runFamily(await loop.load(), ['greet', ...args], {
    ...loop.options,
    cwd: loop.project,
    onStdout: (chunk) => void (stdout += chunk.toString()),
    onStderr: (chunk) => void (stderr += chunk.toString()),
    ...options,
  })
  return { status, stdout, stderr }
}

describe('a command family', () => {
  it('gets its words unchanged, and its output and status are passed on', async () => {
    install('exports.route = (input) => { console.log(JSON.stringify(input)); console.error("note"); return 3 }')
    const { status, stdout, stderr } = await run(['--json', '-x', '$(touch pasted)', 'a b', ''], { json: true })
    expect(status).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      args: ['--json', '-x', '$(touch pasted)', 'a b', ''],
      cwd: loop.project,
      json: true,
      projectRoot: loop.project,
      signal: {},
    })
    expect(stderr).toBe('note\n')
    expect(existsSync(join(loop.project, 'pasted'))).toBe(false)
  })

  it.each([
    ['an ES module', 'router.mjs', 'export const route = async () => 4', 4],
    ['a default export', 'router.mjs', 'export default { route: () => 5 }', 5],
    ['nothing', 'router.cjs', 'exports.route = () => {}', 0],
    ['a status by ending the process', 'router.cjs', 'exports.route = () => process.exit(7)', 7],
  ])('may return through %s', async (_title, module, text, status) => {
    install(text, { commands: [{ ...FAMILY, module }] })
    expect(await run()).toMatchObject({ status })
  })

  it.each([
    ['throws', 'exports.route = () => { throw new Error("broken") }', /failed with an error/],
    ['throws nothing', 'exports.route = () => { throw undefined }', /failed with an error/],
    ['rejects', 'exports.route = async () => { throw new Error("broken") }', /failed with an error/],
    ['throws while it is loaded', 'throw new Error("broken")', /failed with an error/],
    ['is no JavaScript', '}{', /failed with an error/],
    ['exports nothing', '', /exports no function "route"/],
    ['exports something else of that name', 'exports.route = 4', /exports no function "route"/],
    ['never settles', 'exports.route = () => new Promise(() => {})', /never settles/],
    ['returns a text', 'exports.route = () => "0"', /not an exit status/],
    [
      'throws after a while',
      'exports.route = () => new Promise(() => setTimeout(() => { throw new Error("late") }))',
      /failed with an error/,
    ],
    [
      'loses a rejection',
      'exports.route = () => new Promise(() => { void Promise.reject(new Error("lost")); setInterval(() => {}, 1000) })',
      /failed with an error/,
    ],
    ['throws what is no text', 'exports.route = () => { throw Object.create(null) }', /failed with an error/],
    [
      'throws an error whose stack throws',
      'exports.route = () => { const error = new Error("x"); Object.defineProperty(error, "stack", { get() { throw error } }); throw error }',
      /failed with an error/,
    ],
    [
      'waits at its top level for ever',
      'export const route = () => 0; await new Promise(() => {})',
      /never settles/,
      'router.mjs',
    ],
    [
      'closes its standard error and throws',
      'exports.route = () => { require("node:fs").closeSync(2); throw new Error("broken") }',
      /failed with an error/,
    ],
    ['returns a thenable that never answers', 'exports.route = () => ({ then() {} })', /never settles/],
    [
      'has an export that throws when it is read',
      'Object.defineProperty(exports, "route", { enumerable: true, get() { throw new Error("no") } })',
      /failed with an error/,
    ],
    ['returns a status that is none', 'exports.route = () => 256', /not an exit status/],
  ])('that %s fails with status 5', async (_title, text, message, module = 'router.cjs') => {
    install(text, { commands: [{ ...FAMILY, module }] })
    await expect(run()).rejects.toMatchObject({ code: 'OVERLAY_FAMILY_FAILED', exitStatus: 5, message })
  })

  it.each([
    ['waits without end', 'exports.route = () => new Promise(() => setInterval(() => {}, 1000))'],
    ['turns in a circle', 'exports.route = () => { for (;;) {} }'],
    [
      'ignores the request to end',
      'process.on("SIGTERM", () => {}); exports.route = () => new Promise(() => setInterval(() => {}, 1000))',
    ],
  ])('that %s is ended when its time is over', async (_title, text) => {
    install(text)
    await expect(run([], { timeout: 0.5 })).rejects.toMatchObject({ code: 'OVERLAY_FAMILY_FAILED', message: /0\.5 s/ })
  })

  it('may print more than fits in memory at once', async () => {
    install(
      'exports.route = () => { const line = "x".repeat(1 << 20); for (let n = 0; n < 100; n++) require("node:fs").writeSync(1, line) }',
    )
    let bytes = 0
    expect(await run([], { onStdout: (chunk) => void (bytes += chunk.length) })).toMatchObject({ status: 0 })
    expect(bytes).toBe(100 * (1 << 20))
  })

  it('takes words of any length', async () => {
    install('exports.route = ({ args }) => { console.log(args[0].length) }')
    expect((await run(['x'.repeat(500_000)])).stdout).toBe('500000\n')
  })

  it('that nobody has is unknown', async () => {
    await expect(runFamily(await loop.load(), ['nobody'], loop.options)).rejects.toMatchObject({
      code: 'USAGE_UNKNOWN_COMMAND',
    })
  })

  it('of an inactive capability does not run', async () => {
    install('exports.route = () => 0', { activationKey: 'a.on', config: { 'a.on': flag(false) } })
    await expect(run()).rejects.toMatchObject({ code: 'OVERLAY_FAMILY_INACTIVE', exitStatus: 3 })
  })

  it('does not run where nobody agreed to it', async () => {
    loop.global(withFamily(), { 'router.cjs': 'exports.route = () => 0' })
    await expect(run()).rejects.toMatchObject({ code: 'CONSENT_CHANGED', message: /never trusted/ })
  })

  it('does not run once a file of it changed since it was loaded', async () => {
    const dir = install('exports.route = () => 0')
    const registry = await loop.load()
    writeFileSync(join(dir, 'router.cjs'), 'exports.route = () => require("node:fs").writeFileSync("worse", "")')
    await expect(runFamily(registry, ['greet'], loop.options)).rejects.toMatchObject({ code: 'CONSENT_CHANGED' })
    expect(existsSync(join(loop.project, 'worse'))).toBe(false)
  })

  it('does not run a module that is a link out of its capability', async () => {
    const dir = install('exports.route = () => 0')
    const registry = await loop.load()
    writeFileSync(join(loop.home, 'outside.cjs'), 'exports.route = () => 0')
    unlinkSync(join(dir, 'router.cjs'))
    symlinkSync(join(loop.home, 'outside.cjs'), join(dir, 'router.cjs'))
    await expect(runFamily(registry, ['greet'], loop.options)).rejects.toMatchObject({ exitStatus: 3 })
  })

  it('ends when the signal does', async () => {
    install(
      'exports.route = ({ signal }) => new Promise((done) => { const t = setInterval(() => {}, 1000); signal.onabort = () => { clearInterval(t); done(0) } })',
    )
    const controller = new AbortController()
    const running = run([], { signal: controller.signal })
    setTimeout(() => controller.abort(), 500)
    await expect(running).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })
})

describe('a query that a family answers', () => {
  const answering = async (body: string) => {
    const manifest = withFamily({
      gates: [{ point: 'plan:post', check: { query: 'greet.is.done' }, blocking: true, onError: 'halt' }],
    })
    loop.trusted(manifest, { 'router.cjs': body })
    grantConsent(loop.machine, loop.project, manifest)
    return evaluateGates(await loop.load(), 'plan:post', { ...loop.options, phaseNumber: '02' })
  }

  it('is asked with the rest of its name, as JSON', async () => {
    const report = await answering(
      'exports.route = ({ args, json }) => { console.log(JSON.stringify({ block: true, message: [...args, json, process.env.PHASE_NUMBER].join("|") })) }',
    )
    expect(report).toMatchObject({ blocked: true, gates: [{ verdict: 'block', reason: 'query|is.done|true|02' }] })
  })

  it('may answer with characters that fall between two reads', async () => {
    const { gates } = await answering(
      'exports.route = () => { console.log(JSON.stringify({ block: true, message: "x" + "é".repeat(200_000) })) }',
    )
    expect(gates[0]?.reason).not.toContain('\ufffd')
    expect(gates[0]?.reason.slice(0, 200)).toMatch(/^xé/)
  })

  it.each([
    ['prints no JSON', 'exports.route = () => console.log("fine")', /without saying/],
    ['does not say whether it blocks', 'exports.route = () => console.log("{}")', /without saying/],
    ['fails', 'exports.route = () => 2', /ended with 2/],
    ['throws', 'exports.route = () => { throw 1 }', /failed with an error/],
    [
      'prints without end, and is ended',
      'exports.route = () => { for (;;) require("node:fs").writeSync(1, "x".repeat(1 << 20)) }',
      /more than 1024 KiB/,
    ],
  ])('is an error where it %s', async (_title, body, reason) => {
    expect(await answering(body)).toMatchObject({ blocked: true, gates: [{ verdict: 'error', reason }] })
  })
})
