import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import envPaths from 'env-paths'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cacheFolder, userHome } from '../../src/platform/user-folders.ts'
import { codeOf } from '../helpers/thrown.ts'

describe('the cache folder', () => {
  const before = process.env['XDG_CACHE_HOME']
  beforeEach(() => void delete process.env['XDG_CACHE_HOME'])
  afterEach(() => {
    if (before === undefined) delete process.env['XDG_CACHE_HOME']
    else process.env['XDG_CACHE_HOME'] = before
  })

  it('is the one that env-paths returns on this machine', () => {
    expect(cacheFolder(homedir())).toBe(envPaths('gsd-capability', { suffix: '' }).cache)
  })

  it('is below the given home', () => {
    expect(cacheFolder('/home/someone')).toMatch(/^\/home\/someone\/.*gsd-capability/)
  })

  it.runIf(process.platform === 'linux').each([
    ['/var/cache', '/var/cache/gsd-capability'],
    ['', '/home/someone/.cache/gsd-capability'],
    [join(homedir(), 'elsewhere'), '/home/someone/elsewhere/gsd-capability'],
  ])('with XDG_CACHE_HOME=%j is %s', (value, folder) => {
    process.env['XDG_CACHE_HOME'] = value
    expect(cacheFolder('/home/someone')).toBe(folder)
  })

  it.each(['here', './here', '../here', '~/here', ' '])('with the relative XDG_CACHE_HOME=%j is refused', (value) => {
    process.env['XDG_CACHE_HOME'] = value
    expect(codeOf(() => cacheFolder('/home/someone'))).toBe('USAGE_BAD_VALUE')
  })
})

describe('the home', () => {
  it('is the one of the environment', () => {
    expect(userHome({ HOME: '/somewhere' })).toBe('/somewhere')
  })

  it('is the one of the account if the environment has none', () => {
    for (const env of [{}, { HOME: '' }, { HOME: ' ' }]) expect(userHome(env)).toBe(userInfo().homedir)
  })

  it('is refused when it is relative: it would differ in each folder', () => {
    for (const HOME of ['home', './home', '~']) expect(codeOf(() => userHome({ HOME }))).toBe('USAGE_BAD_VALUE')
  })
})
