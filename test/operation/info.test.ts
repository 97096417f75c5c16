import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { info } from '../../src/operation/info.ts'
import { pack } from '../../src/operation/pack.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const ask = (target: string, scope: 'global' | 'project' | null = null) =>
  info(scratch.testContext().context, { target, scope })

describe('info', () => {
  test('of an unknown id suggests the nearest one, and how to write a folder', async () => {
    await scratch.install(scratch.bundle('guard'))
    for (const [asked, hint] of [
      ['gaurd', 'guard'],
      ['nothing-like-it', './nothing-like-it'],
    ] as const)
      expect(await scratch.refused(() => ask(asked))).toMatchObject({
        code: 'STATE_NOT_INSTALLED',
        exitStatus: 4,
        hint: expect.stringContaining(hint),
      })
  })

  test('of one scope omits the other', async () => {
    await scratch.install(scratch.bundle('guard'))
    await scratch.install(scratch.bundle('guard'), { scope: 'project' })
    expect((await ask('guard')).details.map(({ scope }) => scope)).toEqual(['project', 'global'])
    expect((await ask('guard', 'global')).details.map(({ scope }) => scope)).toEqual(['global'])
  })

  test('shows the effects of a project overlay before it is trusted', async () => {
    await scratch.install(scratch.bundle('guard'), { scope: 'project' })
    rmSync(scratch.path('home/.gsd/grants.json'))
    const { rows, details } = await ask('guard')
    expect(rows).toMatchObject([{ status: 'inactive', code: 'CONSENT_MISSING' }])
    expect(details).toMatchObject([{ id: 'guard', surfaces: [{ kind: 'hook', script: 'hooks/run.sh' }] }])
  })

  test('shows the host files that contain its hooks, and each of its files', async () => {
    await scratch.install(scratch.bundle('guard'), { runtimes: ['claude'] })
    const { details } = await ask('guard')
    expect(details).toMatchObject([
      {
        edits: [{ runtime: 'claude', file: scratch.settings }],
        fileList: [
          { path: 'capability.json', executable: false },
          { path: 'hooks/run.sh', executable: true },
        ],
      },
    ])
  })

  test('names the state file that cannot be read', async () => {
    await scratch.install(scratch.bundle('guard'))
    scratch.put('home/.gsd/ledger.json', '{')
    const { warnings } = await ask('guard')
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'STATE_UNREADABLE', file: scratch.path('home/.gsd/ledger.json') }),
    )
  })
})

describe('info of a spec honours the flags of install', () => {
  const preview = { integrity: null, allowHttp: false, downgrade: null }

  test('--integrity, which the archive must have', async () => {
    const { context } = scratch.testContext()
    const out = scratch.path('guard.tgz')
    const { file, integrity } = await pack(context, { dir: scratch.bundle('guard'), out, writeIntegrity: false })
    const infoWith = (given: string) =>
      info(context, { target: file, scope: null, preview: { ...preview, integrity: given } })
    expect((await infoWith(integrity)).details).toMatchObject([{ id: 'guard' }])
    const other = `sha512-${'A'.repeat(86)}==`
    expect(await scratch.refused(() => infoWith(other))).toMatchObject({ code: 'INTEGRITY_MISMATCH' })
  })

  test('--allow-http, without which plain http is refused', async () => {
    const { context } = scratch.testContext()
    const target = 'http://127.0.0.1:9/x.tgz'
    const infoWith = (allowHttp: boolean) => info(context, { target, scope: null, preview: { ...preview, allowHttp } })
    expect((await scratch.refused(() => infoWith(false))).code).toMatch(/^SPEC_/)
    expect((await scratch.refused(() => infoWith(true))).code).toMatch(/^FETCH_/)
  })

  test('and refuses them for an id', async () => {
    await scratch.install(scratch.bundle('guard'))
    const work = () =>
      info(scratch.testContext().context, { target: 'guard', scope: null, preview: { ...preview, downgrade: true } })
    expect(await scratch.refused(work)).toMatchObject({ code: 'USAGE_CONFLICT', exitStatus: 2 })
  })
})

describe('removing a capability that is not installed explains what exists instead', () => {
  test('one that is first-party', async () => {
    const error = await scratch.refused(() => scratch.remove('ui'))
    expect(error).toMatchObject({ code: 'STATE_NOT_INSTALLED', hint: expect.stringContaining('disable ui') })
  })

  test('one of the other scope', async () => {
    await scratch.install(scratch.bundle('guard'), { scope: 'project' })
    const error = await scratch.refused(() => scratch.remove('guard'))
    expect(error.hint).toContain('--scope project')
  })

  test('a folder without a ledger entry', async () => {
    await scratch.install(scratch.bundle('guard'))
    rmSync(scratch.path('home/.gsd/ledger.json'))
    expect((await scratch.refused(() => scratch.remove('guard'))).hint).toContain('doctor')
  })
})

describe('a state file that cannot be read stops every change, and is left unchanged', () => {
  const FILES = ['ledger.json', 'hosts.json', 'state.json', 'grants.json'] as const
  test.each(FILES)('%s', async (name) => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { runtimes: ['claude'] })
    for (const content of [
      '',
      '{',
      '[]',
      '{"schema":2}',
      '\u0000\u0001',
      '{"schema":1,"capabilities":7,"files":7,"grants":7}',
    ]) {
      scratch.put(`home/.gsd/${name}`, content)
      scratch.bundle('guard', { manifest: { version: '2.0.0' } })
      // Removing needs to know nothing about what was granted.
      const changes = [
        () => scratch.install(bundle),
        ...(name === 'grants.json' ? [] : [() => scratch.remove('guard')]),
      ]
      for (const work of changes) {
        const error = await scratch.refused(work)
        expect(error).toMatchObject({ exitStatus: 4, details: { file: scratch.path('home/.gsd', name) } })
      }
      expect((await scratch.list()).rows.some(({ id }) => id === 'guard')).toBe(true)
    }
  })

  test('a ledger whose spec needs a newer version counts as another source', async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle)
    const file = 'home/.gsd/ledger.json'
    scratch.put(file, scratch.text(file).replace('"../bundles/guard"', '"teleport:guard"'))
    scratch.bundle('guard', { manifest: { version: '2.0.0' } })
    expect(await scratch.refused(() => scratch.install(bundle))).toMatchObject({ code: 'STATE_OTHER_SOURCE' })
    expect(await scratch.install(bundle, { replace: true })).toMatchObject({ installed: [{ version: '2.0.0' }] })
    expect(await scratch.remove('guard')).toMatchObject({ removed: [{ id: 'guard' }] })
  })
})
