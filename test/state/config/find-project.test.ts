import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findProject } from '../../../src/state/config/find-project.ts'
import { at, folder, write } from './config-folder.ts'

const find = (cwd: string, limits: { home?: string; globalRoot?: string } = {}): string | null => {
  const { home = folder('home'), globalRoot = home } = limits
  return findProject(cwd, { home, globalRoot })
}

test.each(['.gsd', '.planning', '.git'])('a folder that contains %s is the project of everything below it', (mark) => {
  folder('repo', mark)
  expect(find(at('repo'))).toBe(at('repo'))
  expect(find(folder('repo/src/deep'))).toBe(at('repo'))
})

test('a worktree, where .git is a file, and a dangling marker count too', () => {
  write('tree/.git', 'gitdir: elsewhere')
  expect(find(at('tree'))).toBe(at('tree'))
  symlinkSync('nowhere', `${folder('linked')}/.planning`)
  expect(find(at('linked'))).toBe(at('linked'))
})

test('the nearest parent wins', () => {
  folder('repo/.git')
  folder('repo/packages/a/.planning')
  expect(find(folder('repo/packages/a/src'))).toBe(at('repo/packages/a'))
  expect(find(folder('repo/packages/b'))).toBe(at('repo'))
})

test('without any marker there is no project', () => {
  expect(find(folder('plain/deep'))).toBeNull()
  expect(find('/')).toBeNull()
})

test('the home is not a project, whatever it contains', () => {
  for (const mark of ['.gsd', '.planning', '.git']) folder('home', mark)
  expect(find(folder('home/work'))).toBeNull()
  expect(find(at('home'))).toBeNull()
})

test('a home below a repository is skipped and the repository found', () => {
  folder('repo/.git')
  folder('repo/home/.gsd')
  expect(find(folder('repo/home/work'), { home: at('repo/home') })).toBe(at('repo'))
})

test('a home reached by a link is skipped too', () => {
  folder('data/me/.git')
  symlinkSync(at('data/me'), at('me'))
  expect(find(folder('data/me/work'), { home: at('me') })).toBeNull()
  expect(find(at('me/work'), { home: at('data/me') })).toBeNull()
})

test('a global root is not a project because of its .gsd, and is one when it is a repository', () => {
  const globalRoot = folder('root')
  folder('root/.gsd')
  expect(find(folder('root/work'), { globalRoot })).toBeNull()
  mkdirSync(at('root/.git'))
  expect(find(at('root/work'), { globalRoot })).toBe(at('root'))
})

test('a working directory reached by a link belongs to the project of its real path', () => {
  folder('repo/.git')
  folder('other/.git')
  folder('repo/src')
  symlinkSync(at('repo/src'), at('other/link'))
  expect(find(at('other/link'))).toBe(at('repo'))
})

test('homes and roots that do not exist are ignored', () => {
  folder('repo/.git')
  expect(find(at('repo'), { home: at('no/home'), globalRoot: at('no/root') })).toBe(at('repo'))
})
