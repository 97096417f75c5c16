import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hookCommand, hookPath, windowsHookCommand } from '../../../src/host/hooks/hook-command.ts'
import { mentionsPath } from '../../../src/host/splice/mentions-path.ts'
import { codeOf, hintOf } from '../../helpers/thrown.ts'

const HOSTILE = [
  'plain',
  'with space',
  "it's",
  '$HOME',
  '`touch pwned`',
  '$(touch pwned)',
  'semi;touch pwned',
  'ünïcödé 文',
  '-rf',
  'new\nline',
  'back\\slash',
  '"double"',
  'a && b | c > d',
  '*?[x]{y}~#!',
]

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-hook-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = (command: string): string => execFileSync('sh', ['-c', command], { cwd: '/', encoding: 'utf8' })

const bareCommand = (name: string): string => hookCommand({ path: `/x/${name}`, shebang: false })

describe('a hook command', () => {
  it.each(HOSTILE)('runs a script with a shebang from another folder when the path contains %j', (name) => {
    const dir = join(root, name)
    mkdirSync(dir)
    const path = join(dir, 'run.sh')
    writeFileSync(path, '#!/bin/sh\nprintf %s "$0"\n')
    chmodSync(path, 0o755)
    expect(run(hookCommand({ path, shebang: true }))).toBe(path)
  })

  it.each(HOSTILE)('runs a script without a shebang through its interpreter when the path contains %j', (name) => {
    const dir = join(root, name)
    mkdirSync(dir)
    writeFileSync(join(dir, 'run.cjs'), 'process.stdout.write(__filename)')
    writeFileSync(join(dir, 'run.sh'), 'printf %s "$0"')
    expect(run(hookCommand({ path: join(dir, 'run.cjs'), shebang: false }))).toBe(join(dir, 'run.cjs'))
    expect(run(hookCommand({ path: join(dir, 'run.sh'), shebang: false }))).toBe(join(dir, 'run.sh'))
  })

  it.each(HOSTILE)('is matched by its path %j, and not by a longer or shorter one', (name) => {
    const path = join(root, name, 'run.sh')
    expect(mentionsPath(hookCommand({ path, shebang: true }), path)).toBe(true)
    expect(mentionsPath(`FOO=1 ${hookCommand({ path, shebang: false })} --quiet`, path)).toBe(true)
    expect(mentionsPath(hookCommand({ path: `${path}.bak`, shebang: true }), path)).toBe(false)
    expect(mentionsPath(hookCommand({ path: `/backup${path}`, shebang: true }), path)).toBe(false)
  })

  it.each([
    ['~/.gsd/capabilities/guard/hooks/run.sh', true],
    ['"$HOME"/.gsd/capabilities/guard/hooks/run.sh --quiet', true],
    ['bash "${HOME}/.gsd/capabilities/guard/hooks/run.sh"', true],
    ['"$CLAUDE_PROJECT_DIR/.gsd/capabilities/guard/hooks/run.sh"', true],
    ['$HOME/.gsd/capabilities/guard2/hooks/run.sh', false],
    ['$HOME/.gsd/capabilities/guard/hooks/run.sh.bak', false],
    ['$HOME/backup/.gsd/capabilities/guard/hooks/run.sh', false],
    ['/elsewhere/.gsd/capabilities/guard/hooks/run.sh', false],
    ['/x$HOME/.gsd/capabilities/guard/hooks/run.sh', false],
  ])('is matched below a variable: %s', (command, found) => {
    expect(mentionsPath(command, '/home/u/.gsd/capabilities/guard/hooks/run.sh')).toBe(found)
  })

  it('names the interpreter by extension', () => {
    expect(['a.js', 'a.cjs', 'a.mjs', 'a.sh', 'a.py'].map(bareCommand)).toEqual([
      "node '/x/a.js'",
      "node '/x/a.cjs'",
      "node '/x/a.mjs'",
      "sh '/x/a.sh'",
      "python3 '/x/a.py'",
    ])
  })

  it.each(['run', 'run.rb', 'run.SH', '.sh', 'run.sh.txt'])('is refused for %j without a shebang', (name) => {
    const call = (): unknown => hookCommand({ path: `/x/${name}`, shebang: false })
    expect(codeOf(call)).toBe('HOST_SCRIPT')
    expect(hintOf(call)).toContain('#!')
  })
})

describe('a host that takes a path instead of a command line', () => {
  it('gets the path unquoted where a shell reads it the same, quoted otherwise, and never an interpreter', () => {
    expect(hookPath({ path: '/x/run.py', shebang: true })).toBe('/x/run.py')
    expect(hookPath({ path: "/it's/run.py", shebang: true })).toBe(String.raw`'/it'\''s/run.py'`)
    expect(codeOf(() => hookPath({ path: '/x/run.py', shebang: false }))).toBe('HOST_SCRIPT')
  })
})

describe('the Windows form', () => {
  it('quotes the path with double quotes and names the interpreter', () => {
    expect(windowsHookCommand({ path: 'C:\\Users\\A B\\x.js' })).toBe('node "C:\\Users\\A B\\x.js"')
    expect(windowsHookCommand({ path: 'C:/Users/a/x.py' })).toBe('python "C:\\Users\\a\\x.py"')
    expect(windowsHookCommand({ path: 'C:\\a & b\\x.CMD' })).toBe('"C:\\a & b\\x.CMD"')
    expect(windowsHookCommand({ path: 'C:\\a\\x.sh' })).toBe('sh "C:\\a\\x.sh"')
  })

  it.each(['C:\\100%\\x.js', 'C:\\a"b\\x.js', 'C:\\a\nb\\x.js', 'C:\\a\\x'])('is refused for %j', (path) => {
    expect(codeOf(() => windowsHookCommand({ path }))).toBe('HOST_SCRIPT')
  })
})
