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

describe('what a command loads', () => {
  const LISTER = `process.on('exit', () => {
    const chunks = Object.keys(require.cache).map((file) => require('node:path').basename(file, '.cjs'))
    const builtIn = process.moduleLoadList.filter((name) => / (crypto|fs\\/promises)$/.test(name))
    process.stderr.write('loaded: ' + JSON.stringify([...chunks, ...builtIn]))
  })`
  const loadedBy = (...args: readonly string[]): readonly string[] => {
    const lister = join(copy, 'lister.cjs')
    writeFileSync(lister, LISTER)
    const run = spawnSync(process.execPath, ['--require', lister, join(copy, 'bin/gsd.js'), ...args], {
      cwd: join(copy, 'home'),
      env: { HOME: join(copy, 'home'), XDG_CACHE_HOME: join(copy, 'cache') },
      encoding: 'utf8',
    })
    const [, listed = 'null'] = run.stderr.split('loaded: ')
    return (JSON.parse(listed) as string[]).filter(
      (name) => !['lister', 'gsd.js', 'cli', 'rolldown-runtime'].includes(name),
    )
  }

  it.each([
    ['capability list', ['frame', 'load']],
    ['loop render plan:pre', ['frame', 'load', 'loop', 'loop-commands']],
    ['config get mode', ['frame', 'list-keys', 'load', 'loop', 'loop-commands']],
  ])('is for `%s` neither node:crypto nor the code of other commands', (line, expected) => {
    expect([...loadedBy(...line.split(' '))].sort()).toEqual(expected)
  })

  it.each(['capability remove none', 'mcp', 'skills search x', 'loop gate plan:pre', 'check predicate --predicate {}'])(
    'is for `%s` not the table of all commands',
    (line) => {
      const loaded = loadedBy(...line.split(' '))
      expect(loaded).toContain('load')
      expect(loaded).not.toContain('all-commands')
    },
  )
})
