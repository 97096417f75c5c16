import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { syncIn } from '../helpers/operations.ts'
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
  ])(
    'the hooks are left out of %s in a project where %s has them, and everything else is wired, unless forced',
    async (reader, owner) => {
      const manifest = { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }], skills: ['look'] }
      const files = { 'skills/look/SKILL.md': '---\nname: look\ndescription: Looks.\n---\n' }
      const bundle = scratch.bundle('guard', { manifest, files })
      const both = { runtimes: [owner, reader], scope: 'project' } as const
      const { installed } = await scratch.install(bundle, both)
      const filesOf = (runtime: string) =>
        (installed[0]?.wired ?? []).filter((each) => each.runtime === runtime).map(({ file }) => file)
      expect(filesOf(reader)).toEqual([expect.stringMatching(/SKILL\.md$/)])
      expect(filesOf(owner)).toContainEqual(expect.stringMatching(/settings\.local\.json$/))
      expect(installed[0]?.notWired).toEqual([
        {
          runtime: reader,
          reason: expect.stringMatching(/^its hooks are left out: .* also reads the hooks of Claude Code/),
        },
      ])
      await syncIn(scratch.testContext().context, { scope: 'project' })
      expect((await scratch.install(bundle, { scope: 'project' })).unchanged).toEqual(['guard'])
      const forced = await scratch.install(bundle, { ...both, force: true })
      const hooks = (answer: typeof forced) =>
        answer.installed[0]?.wired.filter(({ runtime, file }) => runtime === reader && !file.endsWith('.md')).length
      expect(hooks(forced)).toBe(1)
      expect(await scratch.install(bundle, { scope: 'project' })).toMatchObject({ installed: [], unchanged: ['guard'] })
    },
  )

  test('are both wired in the home, where neither reads the files of Claude Code', async () => {
    const bundle = scratch.bundle('guard', { manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } })
    const { installed } = await scratch.install(bundle, { runtimes: ['claude', 'copilot'] })
    expect(installed[0]).toMatchObject({ notWired: [] })
    expect(installed[0]?.wired.map(({ runtime }) => runtime)).toEqual(['claude', 'copilot'])
  })

  test('are both wired if there are no hooks to run twice', async () => {
    const manifest = { hooks: [], mcpServers: { one: { command: 'npx' } } }
    const { installed } = await scratch.install(scratch.bundle('tools', { manifest }), {
      runtimes: ['claude', 'cursor'],
    })
    expect(installed[0]?.wired).toHaveLength(2)
  })
})
