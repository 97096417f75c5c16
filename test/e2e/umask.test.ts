import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GSD } from '../helpers/gsd.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

/** Runs the program in a shell with that umask. */
const run = (umask: string, ...args: readonly string[]): string =>
  execFileSync('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, GSD, ...args], {
    cwd: scratch.project,
    env: { HOME: scratch.home, XDG_CACHE_HOME: scratch.path('cache'), PATH: process.env['PATH'] ?? '' },
    encoding: 'utf8',
    stdio: 'pipe',
  })

const modesBelow = (
  dir: string,
): readonly { readonly path: string; readonly mode: number; readonly folder: boolean }[] =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    const stats = lstatSync(path)
    const own = { path, mode: stats.mode & 0o777, folder: stats.isDirectory() }
    return own.folder ? [own, ...modesBelow(path)] : [own]
  })

describe.each(['000', '022', '077', '777'])('with umask %s', (umask) => {
  test('everything that is written is its owner’s alone to write, and its owner can use it', () => {
    scratch.put('home/.claude/settings.json', '{}\n')
    for (const scope of ['global', 'project']) {
      run(
        umask,
        'capability',
        'install',
        scratch.bundle(`in-${scope}`),
        '--scope',
        scope,
        '--runtime',
        'claude',
        '--yes',
      )
    }
    run(umask, 'capability', 'disable', 'in-project')
    const folders = [scratch.path('home/.gsd'), scratch.path('project/.gsd'), scratch.path('cache')].filter((path) =>
      existsSync(path),
    )
    const own = { path: 'gsd', folder: true }
    const found = [
      ...folders.map((path) => ({ ...own, path, mode: lstatSync(path).mode & 0o777 })),
      ...folders.flatMap(modesBelow),
    ]
    for (const { path, mode, folder } of found) {
      expect([path, (mode & 0o022).toString(8)]).toEqual([path, '0'])
      expect([path, (mode & (folder ? 0o700 : 0o600)).toString(8)]).toEqual([path, folder ? '700' : '600'])
    }
    for (const name of ['grants.json', 'hosts.json'])
      expect(lstatSync(scratch.path('home/.gsd', name)).mode & 0o777).toBe(0o600)
    for (const file of ['home/.gsd/ledger.json', 'project/.gsd/ledger.json', 'project/.gsd/state.json'])
      expect([0o600, 0o644]).toContain(lstatSync(scratch.path(file)).mode & 0o777)
    run('022', 'capability', 'verify')
    for (const scope of ['global', 'project']) run(umask, 'capability', 'remove', `in-${scope}`)
    expect(existsSync(scratch.path('home/.gsd/ledger.json'))).toBe(false)
    expect(scratch.text('home/.claude/settings.json')).toBe('{}\n')
  })
})
