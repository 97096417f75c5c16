import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

let copy: string
let home: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'gsd-start-'))
  home = join(copy, 'home')
  mkdirSync(home)
  for (const part of ['bin', 'dist']) cpSync(join(ROOT, part), join(copy, part), { recursive: true })
})
afterEach(() => {
  rmSync(copy, { recursive: true, force: true })
})

const gsd = (...args: string[]) =>
  spawnSync(process.execPath, [join(copy, 'bin/gsd.js'), ...args], {
    cwd: home,
    env: { HOME: home, XDG_CACHE_HOME: join(copy, 'cache'), TMPDIR: join(copy, 'tmp') },
    encoding: 'utf8',
  })

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []

describe('the program that runs', () => {
  it('is the text on disk: a change of one file changes what runs', () => {
    expect(gsd('capability', 'list', '--json').status).toBe(0)
    const file = join(copy, 'dist/cli.cjs')
    writeFileSync(file, `process.stdout.write('changed');${readFileSync(file, 'utf8')}`)
    expect(gsd('capability', 'list', '--json').stdout).toMatch(/^changed/)
  })

  it('survives a damaged compile cache', () => {
    const good = gsd('capability', 'list', '--json')
    expect(good.status).toBe(0)
    for (const file of filesBelow(home)) {
      const bytes = readFileSync(file)
      for (let at = 16; at < bytes.length; at += 97) bytes[at] = (bytes[at] ?? 0) ^ 0xff
      writeFileSync(file, bytes)
    }
    expect(gsd('capability', 'list', '--json')).toMatchObject({ status: 0, stdout: good.stdout })
  })

  it('keeps compiled code below HOME only, wherever the other caches are', () => {
    gsd('capability', 'list')
    const cached = [...filesBelow(home), ...filesBelow(join(copy, 'tmp'))]
    const below = /^(\.cache|Library\/Caches)\/gsd-capability\/compiled\//
    expect(cached.filter((file) => !below.test(relative(home, file)))).toEqual([])
    expect(cached.length > 0).toBe('enableCompileCache' in nodeModule)
    expect(filesBelow(join(copy, 'cache')).filter((file) => /compile/.test(file))).toEqual([])
  })

  it('answers --version and --help into a closed pipe too', () => {
    for (const flag of ['--version', '--help', '-h']) {
      const script = `"$0" "$1" ${flag} | true`
      const run = spawnSync('sh', ['-c', script, process.execPath, join(copy, 'bin/gsd.js')], { encoding: 'utf8' })
      expect(run).toMatchObject({ status: 0, stderr: '' })
    }
    expect(gsd('--version').stdout).toMatch(/^gsd-capability \d+\.\d+\.\d+ \(GSD \d+\.\d+\.\d+\)\n$/)
  })
})
