import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

let copy: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'gsd-compiled-'))
  for (const part of ['bin', 'dist']) cpSync(join(ROOT, part), join(copy, part), { recursive: true })
})

afterEach(() => {
  rmSync(copy, { recursive: true, force: true })
})

const list = () => {
  const home = join(copy, 'home')
  mkdirSync(home, { recursive: true })
  const script = `
    const { scripts, run } = require(${JSON.stringify(join(copy, 'bin/compiled.js'))})
    process.on('exit', () => {
      const told = [...scripts].map(([file, script]) => [file.split('/').at(-1), script.cachedDataRejected])
      process.stderr.write(JSON.stringify(told))
    })
    run()`
  const run = spawnSync(process.execPath, ['-e', script, 'gsd', 'capability', 'list', '--json'], {
    cwd: home,
    env: { HOME: home },
    encoding: 'utf8',
  })
  return { status: run.status, ok: JSON.parse(run.stdout).ok, forms: new Map(JSON.parse(run.stderr)) }
}

it('runs from the compiled forms that the build has left', () => {
  const { status, forms } = list()
  expect(status).toBe(0)
  expect(forms.get('cli.cjs')).toBe(false)
  expect(forms.get('load.cjs')).toBe(false)
})

it('reads the text where there is no compiled form, or a broken one', () => {
  rmSync(join(copy, 'dist/cli.code'))
  const form = join(copy, 'dist/chunks/load.code')
  writeFileSync(form, readFileSync(form).subarray(0, 5000))
  const { status, ok, forms } = list()
  expect({ status, ok }).toEqual({ status: 0, ok: true })
  expect(forms.get('cli.cjs')).toBe(null)
  expect(forms.get('load.cjs')).toBe(true)
})

it('takes no compiled form of another text', () => {
  const file = join(copy, 'dist/cli.cjs')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\/\/.../, '//xyz'))
  const { status, ok, forms } = list()
  expect({ status, ok }).toEqual({ status: 0, ok: true })
  expect(forms.get('cli.cjs')).toBe(null)
})

it('signs each compiled form with the sign of its text', () => {
  for (const name of ['cli', 'chunks/load', 'chunks/judge', 'chunks/change']) {
    const form = join(ROOT, 'dist', `${name}.code`)
    expect(existsSync(form)).toBe(true)
    const sign = readFileSync(form).toString('latin1', 0, 32)
    expect(readFileSync(join(ROOT, 'dist', `${name}.cjs`), 'utf8').startsWith(sign)).toBe(true)
  }
})
