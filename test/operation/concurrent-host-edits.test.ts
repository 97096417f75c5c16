import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const CLAUDE = { runtimes: ['claude'] } as const

/** A disk on which the host writes its settings between our write to a temporary file and its rename. */
const whileSyncing = (write: (time: number) => void): Disk => {
  let times = 0
  return {
    ...realDisk,
    syncAll: async (paths) => {
      if (times > 0 || paths.some((path) => path.startsWith(scratch.path('home/.claude/')))) write(++times)
      await realDisk.syncAll(paths)
    },
    fsyncSync: (fd) => {
      if (times > 0) write(++times)
      realDisk.fsyncSync(fd)
    },
  }
}

const writeSettings = (n: number): void => writeFileSync(scratch.settings, `{\n  "startups": ${n},\n  "hooks": {}\n}\n`)
const settingsNow = (): Record<string, unknown> =>
  JSON.parse(readFileSync(scratch.settings, 'utf8')) as Record<string, unknown>

describe('a host that writes its settings during an install', () => {
  test('keeps its own changes, and gets our entry', async () => {
    scratch.put('home/.claude/settings.json', '{\n  "startups": 0,\n  "hooks": {}\n}\n')
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, CLAUDE, { disk: whileSyncing((time) => time === 1 && writeSettings(1)) })
    expect(settingsNow()).toMatchObject({ startups: 1, hooks: { PreToolUse: [{ matcher: 'Bash' }] } })
    await scratch.remove('guard')
    expect(settingsNow()).toEqual({ startups: 1, hooks: {} })
  })

  test('without pause is left unchanged: nothing is installed', async () => {
    scratch.put('home/.claude/settings.json', '{\n  "startups": 0,\n  "hooks": {}\n}\n')
    const bundle = scratch.bundle('guard')
    const install = scratch.install(bundle, CLAUDE, { disk: whileSyncing(writeSettings) })
    await expect(install).rejects.toMatchObject({ code: 'STATE_CHANGED', exitStatus: 4 })
    expect(settingsNow()['hooks']).toEqual({})
    expect((await scratch.list()).rows.filter(({ scope }) => scope === 'global')).toEqual([])
  })

  test('and removes the container of our entry stops the install, and the next one leaves nothing behind', async () => {
    scratch.put('home/.claude/settings.json', '{\n  "hooks": { "PreToolUse": [{ "hooks": [] }] }\n}\n')
    const bundle = scratch.bundle('guard')
    const disk = whileSyncing((time) => time === 1 && writeFileSync(scratch.settings, '{\n}\n'))
    await expect(scratch.install(bundle, CLAUDE, { disk })).rejects.toMatchObject({
      code: 'HOST_SETTINGS_CHANGED',
    })
    expect(readFileSync(scratch.settings, 'utf8')).toBe('{\n}\n')
    await scratch.install(bundle, CLAUDE)
    await scratch.remove('guard')
    expect(readFileSync(scratch.settings, 'utf8')).toBe('{\n}\n')
  })
})

describe('hosts that read the files of another host', () => {
  test.each([
    ['cursor', 'claude'],
    ['copilot', 'claude'],
  ])('%s and %s are not both wired, because each hook would run twice, unless forced', async (reader, owner) => {
    const bundle = scratch.bundle('guard', { manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } })
    const both = { runtimes: [owner, reader] }
    const error = await scratch.refused(() => scratch.install(bundle, both))
    expect(error).toMatchObject({ code: 'HOST_READS_TWICE', exitStatus: 3, details: { reader, owner } })
    await scratch.install(bundle, { runtimes: [owner] })
    const later = await scratch.refused(() => scratch.install(bundle, { runtimes: [reader] }))
    expect(later.code).toBe('HOST_READS_TWICE')
    const { installed } = await scratch.install(bundle, { ...both, force: true })
    expect(installed[0]?.wired.map(({ runtime }) => runtime).toSorted()).toEqual([owner, reader].toSorted())
    expect(await scratch.install(bundle)).toMatchObject({ installed: [], unchanged: ['guard'] })
  })

  test('are both wired if there are no hooks to run twice', async () => {
    const manifest = { hooks: [], mcpServers: { one: { command: 'npx' } } }
    const { installed } = await scratch.install(scratch.bundle('tools', { manifest }), {
      runtimes: ['claude', 'cursor'],
    })
    expect(installed[0]?.wired).toHaveLength(2)
  })
})
