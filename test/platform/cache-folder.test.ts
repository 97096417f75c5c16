import { homedir } from 'node:os'
import envPaths from 'env-paths'
import { describe, expect, it } from 'vitest'
import { cacheFolder } from '../../src/platform/cache-folder.ts'

const HOME = '/home/someone'

describe('the cache folder', () => {
  it('is the one that env-paths gives on this machine', () => {
    const ours = cacheFolder({ env: process.env, home: homedir(), platform: process.platform })
    expect(ours).toBe(envPaths('gsd-capability', { suffix: '' }).cache)
  })

  it.each([
    ['linux', {}, '/home/someone/.cache/gsd-capability'],
    ['linux', { XDG_CACHE_HOME: '/var/cache' }, '/var/cache/gsd-capability'],
    ['linux', { XDG_CACHE_HOME: '' }, '/home/someone/.cache/gsd-capability'],
    ['linux', { XDG_CACHE_HOME: 'here' }, '/home/someone/.cache/gsd-capability'],
    ['darwin', { XDG_CACHE_HOME: '/var/cache' }, '/home/someone/Library/Caches/gsd-capability'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/gsd-capability/Cache'],
    ['win32', {}, '/home/someone/AppData/Local/gsd-capability/Cache'],
  ] as const)('on %s with %j is %s', (platform, env, folder) => {
    expect(cacheFolder({ env, home: HOME, platform })).toBe(folder)
  })
})
