import { createHash } from 'node:crypto'
import { rmSync, symlinkSync } from 'node:fs'
import { relative } from 'node:path'
import { expect, test } from 'vitest'
import {
  resolvePaths,
  scopesOf,
  type ResolvedPaths,
  type PathsRequest,
} from '../../../src/state/config/resolve-paths.ts'
import { codeOf } from '../../helpers/thrown.ts'
import { at, folder, write } from './config-folder.ts'

const resolve = (request: Partial<PathsRequest> = {}): ResolvedPaths =>
  resolvePaths({ cwd: at('repo'), home: at('home'), gsdHome: undefined, project: undefined, ...request })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const privateOf = (gsd: string, root: string): string => `${gsd}/projects/${sha256(root)}`

const setUp = (): void => {
  folder('home')
  folder('repo/.git')
}

test('the global scope keeps everything below the home', () => {
  setUp()
  const { user, global } = resolve()
  expect(user).toEqual({
    gsd: at('home/.gsd'),
    grants: at('home/.gsd/grants.json'),
    formerGrants: at('home/.gsd/consent.json'),
    grantsAdopted: at('home/.gsd/.grants-adopted'),
    config: at('home/.gsd/config.json'),
    policy: at('home/.gsd/policy.json'),
    catalogs: at('home/.gsd/catalogs.json'),
    lock: at('home/.gsd/.lock'),
  })
  expect(global).toEqual({
    scope: 'global',
    root: at('home'),
    realRoot: at('home'),
    gsd: at('home/.gsd'),
    capabilities: at('home/.gsd/capabilities'),
    ledger: at('home/.gsd/ledger.json'),
    receipts: at('home/.gsd/receipts'),
    state: at('home/.gsd/state.json'),
    gitignore: at('home/.gsd/.gitignore'),
    staging: at('home/.gsd/.staging'),
    trash: at('home/.gsd/.trash'),
    private: at('home/.gsd'),
    hosts: at('home/.gsd/hosts.json'),
    journal: at('home/.gsd/.journal.json'),
    lock: at('home/.gsd/.lock'),
    trusted: true,
  })
})

test('a project keeps no file in the repository that is replayed or that deletes files', () => {
  setUp()
  const { project } = resolve({ cwd: folder('repo/src') })
  const own = privateOf(at('home/.gsd'), at('repo'))
  expect(project).toMatchObject({
    scope: 'project',
    root: at('repo'),
    ledger: at('repo/.gsd/ledger.json'),
    staging: at('repo/.gsd/.staging'),
    private: own,
    hosts: `${own}/hosts.json`,
    journal: `${own}/.journal.json`,
    lock: `${own}/.lock`,
    trusted: false,
  })
})

test('scopes are the project, then the global one', () => {
  setUp()
  const found = resolve()
  expect(scopesOf(found)).toEqual([found.project, found.global])
  expect(scopesOf(resolve({ cwd: at('home') }))).toEqual([found.global])
})

test('without a project there is no project scope', () => {
  setUp()
  expect(resolve({ cwd: folder('plain') }).project).toBeNull()
})

test('GSD_HOME moves the global root and every file of the user', () => {
  setUp()
  const { user, global, project } = resolve({ gsdHome: folder('root') })
  expect(user.gsd).toBe(at('root/.gsd'))
  expect(global).toMatchObject({ root: at('root'), lock: at('root/.gsd/.lock'), trusted: true })
  expect(project?.private).toBe(privateOf(at('root/.gsd'), at('repo')))
})

test('a blank GSD_HOME is unset', () => {
  setUp()
  for (const gsdHome of ['', '  ']) expect(resolve({ gsdHome }).global.root).toBe(at('home'))
})

test('a GSD_HOME may be relative, below ~, or not exist yet', () => {
  setUp()
  folder('plain')
  expect(resolve({ cwd: at('plain'), gsdHome: '../root' }).global.realRoot).toBe(at('root'))
  expect(resolve({ cwd: at('plain'), gsdHome: '~/root' }).global.realRoot).toBe(at('home/root'))
  expect(resolve({ cwd: at('plain'), gsdHome: '~' }).global.realRoot).toBe(at('home'))
  expect(resolve({ cwd: at('plain'), gsdHome: at('no/such/root') }).user.gsd).toBe(at('no/such/root/.gsd'))
})

test('a GSD_HOME whose missing end is behind a link gets its real path', () => {
  setUp()
  folder('data')
  symlinkSync(at('data'), at('link'))
  symlinkSync('data/not-yet', at('dangling'))
  expect(resolve({ gsdHome: at('link/root') }).global).toMatchObject({
    root: at('link/root'),
    realRoot: at('data/root'),
  })
  expect(resolve({ gsdHome: at('dangling') }).global.realRoot).toBe(at('data/not-yet'))
})

test('circular links do not hang', () => {
  setUp()
  symlinkSync('b', at('a'))
  symlinkSync('a', at('b'))
  expect(resolve({ gsdHome: at('a/x') }).global.realRoot).toMatch(/\/[ab]\/x$/)
})

test('a home that is a link keeps its name as root and its real path for consent', () => {
  folder('data/me')
  folder('repo/.git')
  symlinkSync(at('data/me'), at('home'))
  const { user, global } = resolve()
  expect(global).toMatchObject({ root: at('home'), realRoot: at('data/me'), trusted: true })
  expect(user.grants).toBe(at('data/me/.gsd/grants.json'))
})

test('a project inside the home is a project', () => {
  folder('home/code/repo/.git')
  const { user, global, project } = resolve({ cwd: at('home/code/repo') })
  expect(project).toMatchObject({ root: at('home/code/repo'), private: privateOf(user.gsd, at('home/code/repo')) })
  expect(global).toMatchObject({ root: at('home'), trusted: true })
})

test("a home below a repository stays the user's home", () => {
  folder('repo/.git')
  folder('repo/home/work')
  const { user, global, project } = resolve({ cwd: at('repo/home/work'), home: at('repo/home') })
  expect(project).toMatchObject({
    root: at('repo'),
    trusted: false,
    private: privateOf(at('repo/home/.gsd'), at('repo')),
  })
  expect(global).toMatchObject({ root: at('repo/home'), trusted: true, private: at('repo/home/.gsd') })
  expect(user.gsd).toBe(at('repo/home/.gsd'))
})

test.each([
  ['the project', (): string => at('repo')],
  ['a link to the project', (): string => (symlinkSync(at('repo'), at('link')), at('link'))],
  ['the working directory', (): string => '.'],
])("a GSD_HOME that is %s counts as project, and the user's own files stay in the home", (_name, gsdHome) => {
  setUp()
  const { user, global, project } = resolve({ gsdHome: gsdHome() })
  expect(project).toMatchObject({ scope: 'project', realRoot: at('repo'), trusted: false })
  expect(global).toBe(project)
  expect(scopesOf({ global, project })).toEqual([project])
  expect(user.gsd).toBe(at('home/.gsd'))
  expect(project?.private).toBe(privateOf(at('home/.gsd'), at('repo')))
})

test('a GSD_HOME named as the project counts as project too, with its .gsd only', () => {
  setUp()
  folder('root/.gsd')
  const { user, global, project } = resolve({ cwd: at('root'), gsdHome: at('root'), project: '.' })
  expect(global).toBe(project)
  expect(user.gsd).toBe(at('home/.gsd'))
})

test.each([
  ['inside the project', (): string => at('repo/.home')],
  ['inside it by a link', (): string => (symlinkSync(folder('repo/sub'), at('link')), at('link'))],
])('a GSD_HOME %s is not trusted, and its private files are in the home', (_name, gsdHome) => {
  setUp()
  const { user, global, project } = resolve({ gsdHome: gsdHome() })
  expect(global).toMatchObject({
    scope: 'global',
    trusted: false,
    private: privateOf(at('home/.gsd'), global.realRoot),
  })
  expect(project).toMatchObject({ root: at('repo'), trusted: false })
  expect(project?.private).not.toBe(global.private)
  expect(user).toMatchObject({ gsd: at('home/.gsd'), lock: at('home/.gsd/.lock') })
})

test("a folder whose name only begins like the project's is not inside it", () => {
  setUp()
  expect(resolve({ gsdHome: folder('repo-home') }).global).toMatchObject({
    trusted: true,
    private: at('repo-home/.gsd'),
  })
})

test('no private file of a scope that may come from a repository is in that repository', () => {
  setUp()
  for (const gsdHome of [undefined, at('repo'), at('repo/a/b'), at('root')]) {
    const found = resolve({ gsdHome })
    for (const scope of scopesOf(found).filter(({ trusted }) => !trusted)) {
      for (const place of [scope.hosts, scope.journal, scope.lock, found.user.grants, found.user.policy]) {
        expect(relative(at('repo'), place)).toMatch(/^\.\.\//)
      }
    }
  }
})

test('a moved project has private files of its own', () => {
  setUp()
  const before = resolve().project?.private
  folder('moved/.git')
  rmSync(at('repo'), { recursive: true })
  expect(resolve({ cwd: at('moved') }).project?.private).not.toBe(before)
})

test('--project is relative to the working directory, needs no marker, and must be a folder', () => {
  setUp()
  folder('repo/plain')
  write('file', '')
  expect(resolve({ project: 'plain' }).project).toMatchObject({ root: at('repo/plain') })
  expect(resolve({ cwd: at('home'), project: '~/../repo' }).project).toMatchObject({ root: at('repo') })
  for (const project of ['no-such', '../file', '../file/x', '', ' ']) {
    expect(
      codeOf(() => resolve({ project })),
      project,
    ).toBe('USAGE_BAD_VALUE')
  }
})

test('--project on the home is one scope, separate from a trusted one', () => {
  setUp()
  const { user, global, project } = resolve({ project: at('home') })
  expect(global).toBe(project)
  expect(project).toMatchObject({ trusted: false, private: privateOf(user.gsd, at('home')) })
})
