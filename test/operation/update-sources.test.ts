import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GsdError } from '../../src/errors.ts'
import { outdated, type OutdatedRow } from '../../src/operation/outdated.ts'
import { setEnabledIn, syncIn, updateIn } from '../helpers/operations.ts'
import { filesOf, useReleases, type Release } from '../helpers/releases.ts'
import { consentPrompt, HOOK, refusalOf, useScratch } from '../helpers/scratch.ts'
import { startHttpsServer } from '../helpers/servers.ts'

const scratch = useScratch('gsd-update-')
const publish = useReleases(scratch)

const context = () => scratch.testContext().context
const ledgerOf = (id = 'notes') => JSON.parse(scratch.text('home/.gsd/ledger.json')).capabilities[id]
const rowOf = async (id = 'notes'): Promise<OutdatedRow | undefined> =>
  (await outdated(context(), { scope: 'global', allowHttp: false })).rows.find((row) => row.id === id)

/** A release of the repository in its current state, tagged or not. */
const push = (release: Release, tag: string | null = `v${release.version}`, id = 'notes'): string => {
  const repository = publish.git(id, [])
  const commit = repository.commit(filesOf(id, release), release.version)
  if (tag !== null) repository.tag(tag)
  return commit
}

const refused = async (work: () => unknown): Promise<GsdError> => {
  const state = (): string[] => scratch.tree().filter((line) => !line.startsWith('cache'))
  const before = state()
  const error = await refusalOf(work)
  expect(state()).toEqual(before)
  return error
}

/** Path, inode, time and content of every file below the home's `.gsd`. */
const marks = (folder = scratch.path('home/.gsd')): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return marks(path)
    const { ino, mtimeMs } = lstatSync(path)
    return [`${path} ${ino} ${mtimeMs} ${readFileSync(path, 'utf8')}`]
  })

describe('the newest version', () => {
  const ONE: Release = { version: '1.0.0' }
  const TWO: Release = { version: '1.1.0' }
  const repositoryAnd = (tail: string) => () => {
    push(ONE)
    return `file://${scratch.path('sources/notes.git')}${tail}`
  }
  const packed = (release: Release): void => {
    const folder = scratch.bundle('notes', { manifest: { version: release.version } })
    execFileSync('tar', ['-czf', scratch.path('notes.tgz'), '-C', folder, '.'])
  }

  test.each<readonly [what: string, first: () => string, next: () => unknown]>([
    ['of a repository: its newest stable tag', repositoryAnd(''), () => (push(TWO), push({ version: '2.0.0-rc.1' }))],
    ['in a range of tags', repositoryAnd('#semver:^1'), () => (push(TWO), push({ version: '2.0.0' }))],
    ['on a branch: its head', repositoryAnd('#main'), () => push(TWO, null)],
    [
      'of a catalog',
      () => (publish.catalog({ notes: [ONE] }), 'notes@^1@team'),
      () => publish.catalog({ notes: [ONE, TWO, { version: '2.0.0' }] }),
    ],
    [
      'in a folder',
      () => scratch.bundle('notes', { manifest: { version: '1.0.0' } }),
      () => scratch.bundle('notes', { manifest: { version: '1.1.0' } }),
    ],
    ['in an archive of this machine', () => (packed(ONE), scratch.path('notes.tgz')), () => packed(TWO)],
  ])('%s', async (_what, first, next) => {
    await scratch.install(first())
    expect(await rowOf()).toMatchObject({ status: 'current', current: { version: '1.0.0' } })
    next()
    expect(await rowOf()).toMatchObject({ status: 'outdated', current: { version: '1.0.0' } })
    expect((await updateIn(context(), 'notes')).updated).toMatchObject([{ from: '1.0.0', version: '1.1.0' }])
    expect(await rowOf()).toMatchObject({ status: 'current', current: { version: '1.1.0' } })
  })

  test('of a package: the version that the registry has for its range', async () => {
    await publish.npm('notes', [ONE])
    await scratch.install('npm:notes@^1')
    await publish.npm('notes', [ONE, TWO, { version: '2.0.0' }])
    expect(await rowOf()).toMatchObject({
      status: 'outdated',
      current: { version: '1.0.0' },
      wanted: '1.1.0',
      latest: '2.0.0',
    })
    expect((await updateIn(context(), 'notes')).updated).toMatchObject([{ from: '1.0.0', version: '1.1.0' }])
    expect(ledgerOf()).toMatchObject({ spec: 'npm:notes@^1', resolved: { kind: 'npm', version: '1.1.0' } })
  })

  /** The source leads from 1.1.0 back to 1.0.0: reported, and taken only on request. */
  const leadsBack = async (): Promise<void> => {
    const row = await rowOf()
    expect(row).toMatchObject({ status: 'moved', current: { version: '1.1.0' }, wanted: '1.0.0' })
    expect(row?.reason).toContain('--downgrade')
    const error = await refused(() => updateIn(context(), 'notes'))
    expect(error).toMatchObject({ code: 'FETCH_OLDER', exitStatus: 3, hint: expect.stringContaining('--downgrade') })
    const { spec } = ledgerOf()
    expect(await refused(() => scratch.install(spec))).toMatchObject({ code: 'FETCH_OLDER' })
    expect((await updateIn(context())).failed).toMatchObject([{ id: 'notes', error: { code: 'FETCH_OLDER' } }])
    expect((await updateIn(context(), 'notes', { downgrade: true })).updated).toMatchObject([
      { from: '1.1.0', version: '1.0.0' },
    ])
    expect(await rowOf()).toMatchObject({ status: 'current', current: { version: '1.0.0' } })
  }

  test.each(['', '#semver:^1'])(
    'of a repository%s is not taken back unasked after its tag was deleted',
    async (tail) => {
      const install = repositoryAnd(tail)
      const spec = install()
      push(TWO)
      await scratch.install(spec)
      publish.git('notes', []).git('tag', '-d', 'v1.1.0')
      await leadsBack()
    },
  )

  test('on a branch is not taken back unasked after it was pushed over', async () => {
    const spec = repositoryAnd('#main')()
    push(TWO)
    await scratch.install(spec)
    publish.git('notes', []).git('reset', '-q', '--hard', 'v1.0.0')
    await leadsBack()
  })

  test('of a package is not taken back unasked after its dist-tag was', async () => {
    await publish.npm('notes', [ONE, TWO])
    await scratch.install('npm:notes')
    await publish.npm('notes', [ONE])
    await leadsBack()
  })

  test('is taken back by an install that names it', async () => {
    repositoryAnd('')()
    push(TWO)
    await scratch.install(`file://${scratch.path('sources/notes.git')}`)
    await scratch.install(`file://${scratch.path('sources/notes.git')}#v1.0.0`)
    expect(ledgerOf()).toMatchObject({ version: '1.0.0', resolved: { tag: 'v1.0.0' } })
  })

  test('of a catalog is not taken back unasked after it was withdrawn', async () => {
    publish.catalog({ notes: [ONE, TWO] })
    await scratch.install('notes@team')
    publish.catalog({ notes: [ONE] })
    await leadsBack()
  })

  test('in a monorepo is searched below the same path', async () => {
    const repository = publish.git('mono', [])
    const below = (release: Release) =>
      Object.fromEntries(Object.entries(filesOf('notes', release)).map(([path, text]) => [`caps/notes/${path}`, text]))
    repository.commit({ ...below(ONE), ...filesOf('mono', { version: '9.0.0' }) })
    repository.tag('notes-v1.0.0')
    repository.tag('v9.0.0')
    const spec = `file://${repository.dir}#semver:^1&path:caps/notes`
    await scratch.install(spec)
    repository.commit(below(TWO))
    repository.tag('notes-v1.1.0')
    expect(await rowOf()).toMatchObject({ status: 'outdated', wanted: '1.1.0', latest: '9.0.0' })
    expect((await updateIn(context(), 'notes')).updated).toMatchObject([{ id: 'notes', version: '1.1.0' }])
    expect(ledgerOf()).toMatchObject({ spec, resolved: { tag: 'notes-v1.1.0', path: 'caps/notes' } })
  })
})

describe('an update', () => {
  const source = (): string => `file://${scratch.path('sources/notes.git')}`
  const README = (version: string): Release => ({ version, files: { 'README.md': `# Notes ${version}\n` } })

  test('of prose only needs no consent, and keeps hosts and consent', async () => {
    push(README('1.0.0'))
    await scratch.install(source(), { runtimes: ['claude'] })
    const settings = readFileSync(scratch.settings, 'utf8')
    push(README('1.1.0'))
    const { updated } = await updateIn(context(), 'notes', { consentPrompt: consentPrompt(false) })
    expect(updated).toMatchObject([
      { from: '1.0.0', version: '1.1.0', files: ['README.md', 'capability.json'], surfacesChanged: false },
    ])
    expect(ledgerOf()).toMatchObject({ version: '1.1.0', runtimes: ['claude'] })
    expect(readFileSync(scratch.settings, 'utf8')).toBe(settings)
  })

  test('keeps a disabled capability disabled, and out of its hosts', async () => {
    push(README('1.0.0'))
    await scratch.install(source(), { runtimes: ['claude'] })
    await setEnabledIn(context(), 'disabled', 'notes')
    push(README('1.1.0'))
    await updateIn(context(), 'notes')
    const { rows } = await scratch.list()
    expect(rows.find(({ id }) => id === 'notes')).toMatchObject({ status: 'disabled', version: '1.1.0' })
    expect(existsSync(scratch.settings)).toBe(false)
    await setEnabledIn(context(), 'enabled', 'notes')
    expect(readFileSync(scratch.settings, 'utf8')).toContain('run.sh')
  })

  test.each<readonly [string, Release, boolean]>([
    ['the script', { version: '1.1.0', files: { 'hooks/run.sh': `${HOOK}echo more\n` } }, true],
    ['a file beside the script', { version: '1.1.0', files: { 'hooks/more.js': 'more\n' } }, false],
    ['what runs', { version: '1.1.0', manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } }, true],
  ])('of %s needs consent, shows it, and without an answer writes nothing', async (_what, next, surfacesChanged) => {
    push({ version: '1.0.0' })
    await scratch.install(source(), { runtimes: ['claude'] })
    push(next)
    const error = await refused(() => updateIn(context(), 'notes', { consentPrompt: consentPrompt(false) }))
    expect(error).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect((await updateIn(context(), 'notes')).updated).toMatchObject([{ version: '1.1.0', surfacesChanged }])
  })

  test('with nothing new writes nothing', async () => {
    push({ version: '1.0.0' })
    publish.catalog({ listed: [{ version: '1.0.0' }] })
    await scratch.install([source(), 'listed@team', scratch.bundle('here')], { runtimes: ['claude'] })
    const before = [...marks(), ...marks(scratch.path('home/.claude'))]
    expect(await updateIn(context())).toMatchObject({
      updated: [],
      unchanged: ['here', 'listed', 'notes'],
      failed: [],
      warnings: [],
    })
    expect([...marks(), ...marks(scratch.path('home/.claude'))]).toEqual(before)
  })

  test.each<readonly [what: string, first: () => string, next: () => void]>([
    [
      'a branch that was pushed over',
      () => (push({ version: '1.0.0' }), `${source()}#main`),
      () => publish.git('notes', []).git('commit', '-q', '--amend', '-m', 'reworded'),
    ],
    [
      'a tag that was moved on the same tree',
      () => (push({ version: '1.0.0' }), `${source()}#v1.0.0`),
      () => {
        publish.git('notes', []).commit({})
        publish.git('notes', []).git('tag', '-f', 'v1.0.0')
      },
    ],
    [
      'an archive that was packed anew',
      () => {
        const folder = scratch.bundle('notes')
        execFileSync('tar', ['-czf', scratch.path('notes.tgz'), '-C', folder, '.'])
        return scratch.path('notes.tgz')
      },
      () =>
        execFileSync('tar', [
          '--mtime=2001-01-01',
          '-czf',
          scratch.path('notes.tgz'),
          '-C',
          scratch.path('bundles/notes'),
          '.',
        ]),
    ],
  ])('of %s records where the same content is now, and sync points there', async (_what, first, next) => {
    await scratch.install(first())
    const before = ledgerOf()
    next()
    expect(await rowOf()).toMatchObject({ status: 'moved', reason: expect.stringContaining('the same content') })
    const { updated, warnings } = await updateIn(context(), 'notes', { consentPrompt: consentPrompt(false) })
    expect(updated).toMatchObject([{ id: 'notes', from: before.version, version: before.version, files: [] }])
    expect(warnings).toMatchObject([{ severity: 'info', code: 'STATE_LOCATOR', id: 'notes' }])
    const { resolved, integrity, ...rest } = ledgerOf()
    expect({ ...before, ...rest }).toEqual(before)
    expect({ resolved, integrity }).not.toEqual({ resolved: before.resolved, integrity: before.integrity })
    expect(['current', 'pinned']).toContain((await rowOf())?.status)
    const lock = marks()
    expect(await updateIn(context(), 'notes')).toMatchObject({ updated: [], unchanged: ['notes'] })
    expect(marks()).toEqual(lock)
  })

  test('mends the locator that a sync cannot follow any more', async () => {
    const folder = scratch.bundle('notes')
    const pack = (...args: readonly string[]) =>
      execFileSync('tar', [...args, '-czf', scratch.path('notes.tgz'), '-C', folder, '.'])
    pack()
    await scratch.install(scratch.path('notes.tgz'))
    pack('--mtime=2001-01-01')
    rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    const { failed } = await syncIn(context(), { scope: 'global' })
    const update = 'gsd capability update notes --scope global'
    expect(failed).toMatchObject([{ error: { code: 'INTEGRITY_MISMATCH', hint: expect.stringContaining(update) } }])
    await updateIn(context(), 'notes')
    rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    expect(await syncIn(context(), { scope: 'global' })).toMatchObject({ restored: [{ id: 'notes' }], failed: [] })
  })

  test('that is impossible is outdated all the same, with the reason', async () => {
    push({ version: '1.0.0' })
    await scratch.install(source())
    push({ version: '1.1.0', gsd: '>=9.0.0' })
    expect(await rowOf()).toMatchObject({ status: 'outdated', wanted: '1.1.0', reason: expect.stringMatching(/>=9/) })
  })

  test('refuses a moved tag, until it is forced', async () => {
    push({ version: '1.0.0' })
    await scratch.install(`${source()}#v1.0.0`)
    const repository = publish.git('notes', [])
    const commit = repository.commit({ 'README.md': 'other\n' })
    repository.git('tag', '-f', 'v1.0.0')
    expect(await rowOf()).toMatchObject({ status: 'moved', reason: expect.stringContaining('"v1.0.0"') })
    const error = await refused(() => updateIn(context(), 'notes'))
    expect(error).toMatchObject({ code: 'FETCH_TAG_MOVED', exitStatus: 3, hint: expect.stringContaining('--force') })
    expect(await refused(() => scratch.install(`${source()}#v1.0.0`))).toMatchObject({ code: 'FETCH_TAG_MOVED' })
    await updateIn(context(), 'notes', { force: true })
    expect(ledgerOf().resolved).toMatchObject({ tag: 'v1.0.0', commit })
  })

  test('of everything skips what cannot be fetched, and reports it', async () => {
    push({ version: '1.0.0' })
    await scratch.install([source(), scratch.bundle('gone'), scratch.bundle('here')])
    push({ version: '1.1.0' })
    rmSync(scratch.path('bundles/gone'), { recursive: true })
    const entry = ledgerOf('gone')
    const { updated, unchanged, failed, warnings } = await updateIn(context())
    expect(updated).toMatchObject([{ id: 'notes', version: '1.1.0' }])
    expect(unchanged).toEqual(['here'])
    expect(failed).toMatchObject([{ id: 'gone', error: { code: 'FETCH_NOT_FOUND' } }])
    expect(warnings).toContainEqual(expect.objectContaining({ severity: 'error', id: 'gone' }))
    expect(ledgerOf('gone')).toEqual(entry)
    expect(await refused(() => updateIn(context(), ['notes', 'gone']))).toMatchObject({ code: 'FETCH_NOT_FOUND' })
  })

  test('refuses a source that now contains another capability', async () => {
    await scratch.install(scratch.bundle('notes', { to: 'bundles/x' }))
    scratch.bundle('other', { to: 'bundles/x' })
    expect(await refused(() => updateIn(context(), 'notes'))).toMatchObject({ code: 'STATE_OTHER_SOURCE' })
  })

  test('installs what the new version requires, or is refused as a whole', async () => {
    publish.catalog({ notes: [{ version: '1.0.0' }] })
    await scratch.install('notes@team')
    const requiring: Release = { version: '1.1.0', manifest: { requires: ['base'] } }
    publish.catalog({ notes: [requiring] })
    expect(await refused(() => updateIn(context(), 'notes'))).toMatchObject({ code: 'FETCH_NOT_FOUND' })
    publish.catalog({ notes: [requiring], base: [{ version: '3.0.0' }] })
    const { updated } = await updateIn(context(), 'notes')
    expect(updated.map(({ id, version }) => `${id} ${version}`)).toEqual(['notes 1.1.0', 'base 3.0.0'])
    expect(ledgerOf('base')).toMatchObject({ auto: true, spec: 'base@team' })
    expect(ledgerOf('notes').auto).toBeUndefined()
  })
})

describe('another selector with the same content', () => {
  const url = (): string => `file://${scratch.path('sources/notes.git')}`

  test.each([
    ['', '#main'],
    ['#main', '#v1.0.0'],
    ['#v1.0.0', '#semver:^1'],
    ['#semver:^1', '#semver:~1.0'],
  ])('after %j, %j is recorded', async (first, then) => {
    push({ version: '1.0.0' })
    await scratch.install(`${url()}${first}`, { runtimes: ['claude'] })
    const { installed } = await scratch.install(`${url()}${then}`, { consentPrompt: consentPrompt(false) })
    expect(installed).toMatchObject([{ id: 'notes', spec: `${url()}${then}` }])
    expect(ledgerOf()).toMatchObject({ spec: `${url()}${then}`, runtimes: ['claude'] })
    const before = marks()
    expect((await scratch.install(`${url()}${then}`)).unchanged).toEqual(['notes'])
    expect(marks()).toEqual(before)
  })

  test('that is none keeps the recorded one, and says how to follow newer ones', async () => {
    push({ version: '1.0.0' })
    await scratch.install(`${url()}#main`, { runtimes: ['claude'] })
    const before = marks()
    const { unchanged, warnings } = await scratch.install(url())
    expect(unchanged).toEqual(['notes'])
    expect(warnings).toMatchObject([
      { severity: 'info', message: expect.stringContaining('#main'), hint: expect.stringContaining('--replace') },
    ])
    expect(marks()).toEqual(before)
    expect((await scratch.install(url(), { replace: true })).installed).toMatchObject([{ id: 'notes', spec: url() }])
    expect(ledgerOf()).toMatchObject({ spec: url(), resolved: { tag: 'v1.0.0' }, runtimes: ['claude'] })
  })

  test('of another source is not recorded with a further host', async () => {
    push({ version: '1.0.0' })
    await scratch.install(`${url()}#v1.0.0`, { runtimes: ['claude'] })
    const other = publish.git('other', [])
    other.commit(filesOf('notes', { version: '1.0.0' }))
    await scratch.install(other.url, { runtimes: ['codex'] })
    expect(ledgerOf()).toMatchObject({ spec: `${url()}#v1.0.0`, resolved: { tag: 'v1.0.0' } })
  })
})

describe('outdated', () => {
  test('reports for every source the result of an update, and continues after a failure', async () => {
    const repository = publish.git('pinned', [{ version: '1.0.0' }])
    const tagged = publish.git('tagged', [{ version: '1.0.0' }])
    push({ version: '1.0.0' })
    publish.catalog({ listed: [{ version: '1.0.0' }] })
    const folder = scratch.bundle('web')
    execFileSync('tar', ['-czf', scratch.path('web.tgz'), '-C', folder, '.'])
    const archive = readFileSync(scratch.path('web.tgz'))
    const web = await startHttpsServer((_request, response) => void response.end(archive))
    try {
      await scratch.install([
        `${repository.url}#sha:${repository.git('rev-parse', 'HEAD')}`,
        `${tagged.url}#v1.0.0`,
        `file://${scratch.path('sources/notes.git')}`,
        'listed@=1.0.0@team',
        `${web.url}/web.tgz`,
        scratch.bundle('here'),
        scratch.bundle('lost'),
      ])
    } finally {
      await web.close()
    }
    push({ version: '1.1.0' })
    publish.catalog({ listed: [{ version: '1.0.0' }, { version: '1.1.0' }] })
    renameSync(scratch.path('bundles/lost'), scratch.path('elsewhere'))
    const before = marks()
    const { rows, warnings } = await outdated(context(), { scope: 'global', allowHttp: false })
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      pinned: 'pinned',
      tagged: 'pinned',
      notes: 'outdated',
      listed: 'pinned',
      web: 'unreachable',
      here: 'current',
      lost: 'unreachable',
    })
    expect(rows.find(({ id }) => id === 'lost')?.reason).toContain('lost')
    expect(warnings).toMatchObject(['lost', 'web'].map((id) => ({ code: 'FETCH_UNKNOWN', severity: 'warning', id })))
    expect(marks()).toEqual(before)
  })
})

describe('sync', () => {
  test.each(['', '#semver:^1', '#main', '#v1.0.0'])(
    'restores the exact commit of a repository%s, though newer ones exist',
    async (tail) => {
      const commit = push({ version: '1.0.0', files: { 'README.md': 'first\n' } })
      await scratch.install(`file://${scratch.path('sources/notes.git')}${tail}`)
      const ledger = scratch.text('home/.gsd/ledger.json')
      push({ version: '1.1.0', files: { 'README.md': 'second\n' } })
      if (tail === '#v1.0.0') publish.git('notes', []).git('tag', '-f', 'v1.0.0')
      rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
      expect((await syncIn(context(), { scope: 'global', frozen: true })).restored).toMatchObject([{ id: 'notes' }])
      expect(scratch.text('home/.gsd/capabilities/notes/README.md')).toBe('first\n')
      expect(scratch.text('home/.gsd/ledger.json')).toBe(ledger)
      expect(ledgerOf().resolved.commit).toBe(commit)
    },
  )

  test('restores the commit that a catalog pointed to, though the branch moved', async () => {
    const first: Release = { version: '1.0.0', files: { 'README.md': 'first\n' } }
    const below = (release: Release) =>
      Object.fromEntries(Object.entries(filesOf('notes', release)).map(([path, text]) => [`caps/notes/${path}`, text]))
    const repository = publish.git('mono', [])
    const commit = repository.commit(below(first))
    publish.catalog({})
    const spec = `${repository.url}#branch:main&path:caps/notes`
    scratch.put(
      'catalog/catalog.json',
      JSON.stringify({ schema: 1, capabilities: { notes: { versions: { '1.0.0': { spec } } } } }),
    )
    await scratch.install('notes@team')
    expect(ledgerOf().resolved).toMatchObject({ kind: 'catalog', version: '1.0.0', commit, path: 'caps/notes' })
    repository.commit(below({ ...first, files: { 'README.md': 'second\n' } }))
    rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    expect((await syncIn(context(), { scope: 'global', frozen: true })).restored).toMatchObject([{ id: 'notes' }])
    expect(scratch.text('home/.gsd/capabilities/notes/README.md')).toBe('first\n')
  })

  test('never fetches from the catalog target that a ledger states', async () => {
    publish.catalog({ notes: [{ version: '1.0.0' }] })
    await scratch.install('notes@team')
    const evil = publish.git('evil', [{ version: '1.0.0' }])
    const ledger = JSON.parse(scratch.text('home/.gsd/ledger.json'))
    const commit = evil.git('rev-parse', 'HEAD')
    Object.assign(ledger.capabilities.notes.resolved, { url: evil.url, commit })
    scratch.put('home/.gsd/ledger.json', `${JSON.stringify(ledger, null, 2)}\n`)
    rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    await syncIn(context(), { scope: 'global', frozen: true })
    expect(existsSync(scratch.path('cache/gsd-capability/git'))).toBe(false)
  })

  test('restores the exact version of a package and of a catalog', async () => {
    const releases = [{ version: '1.0.0' }, { version: '1.1.0' }]
    await publish.npm('notes', releases.slice(0, 1))
    publish.catalog({ listed: releases.slice(0, 1) })
    await scratch.install(['npm:notes', 'listed@team'])
    const ledger = scratch.text('home/.gsd/ledger.json')
    await publish.npm('notes', releases)
    publish.catalog({ listed: releases })
    rmSync(scratch.path('home/.gsd/capabilities'), { recursive: true })
    rmSync(scratch.path('cache'), { recursive: true })
    await syncIn(context(), { scope: 'global', frozen: true })
    for (const id of ['notes', 'listed'])
      expect(JSON.parse(scratch.text(`home/.gsd/capabilities/${id}/capability.json`)).version).toBe('1.0.0')
    expect(scratch.text('home/.gsd/ledger.json')).toBe(ledger)
  })

  test('refuses a source whose content differs from the ledger', async () => {
    publish.catalog({ notes: [{ version: '1.0.0' }] })
    await scratch.install('notes@team')
    publish.catalog({ notes: [{ version: '1.0.0', files: { 'hooks/run.sh': `${HOOK}echo more\n` } }] })
    rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    expect(await syncIn(context(), { scope: 'global' })).toMatchObject({
      restored: [],
      failed: [{ id: 'notes', error: { code: 'INTEGRITY_DIGEST_MISMATCH' } }],
      refusal: { code: 'FETCH_INCOMPLETE', exitStatus: 5 },
    })
  })
})

describe('a stated integrity', () => {
  test('is refused when the catalog points to a source without an artifact to verify', async () => {
    publish.catalog({ notes: [{ version: '1.0.0' }] })
    const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`
    expect(await refused(() => scratch.install('notes@team', { integrity }))).toMatchObject({
      code: 'INTEGRITY_NO_ARTIFACT',
      message: expect.stringContaining('local'),
    })
  })
})

test('a cache folder that cannot be created is named with the variable that sets it', async () => {
  const folder = scratch.bundle('notes')
  scratch.put('a-file', 'x')
  for (const place of ['a-file', 'a-file/below']) {
    const env = { XDG_CACHE_HOME: scratch.path(place) }
    expect(await refused(() => scratch.install(folder, {}, { env }))).toMatchObject({
      code: 'STATE_IO',
      exitStatus: 5,
      hint: expect.stringContaining('XDG_CACHE_HOME'),
    })
  }
})
