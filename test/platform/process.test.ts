import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passTo } from '../../src/platform/process-output.ts'
import { ProcessError, type ProcessOptions, runProgram } from '../../src/platform/process.ts'

let folder = ''
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'gsd-process-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (script: string, options: Partial<ProcessOptions> = {}) =>
  runProgram({
    file: 'sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
    timeout: 30_000,
    ...options,
  })

const failureOf = async (script: string, options: Partial<ProcessOptions> = {}): Promise<ProcessError> => {
  try {
    await run(script, options)
  } catch (error) {
    if (error instanceof ProcessError) return error
    throw error
  }
  throw new Error('the program did not fail')
}

const hasEnded = (pid: number): boolean => {
  try {
    return /^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

describe('a program', () => {
  test('returns its status and both streams, and reads its input', async () => {
    const ran = await run('cat; echo no >&2; exit 3', { input: 'yes' })
    expect([ran.status, ran.signal, ran.stdout.toString(), ran.stderr]).toEqual([3, null, 'yes', 'no\n'])
    expect(ran.truncated).toBe(false)
  })

  test('reads text, bytes or nothing on stdin', async () => {
    expect((await run('cat', { input: 'text' })).stdout.toString()).toBe('text')
    expect((await run('cat', { input: new Uint8Array([0x61, 0xff]) })).stdout).toEqual(Buffer.from([0x61, 0xff]))
    expect((await run('cat')).stdout.toString()).toBe('')
  })

  test('may leave its input unread', async () => {
    expect((await run('exit 4', { input: 'x'.repeat(10_000_000) })).status).toBe(4)
  })

  test('gets only the given environment', async () => {
    const ran = await run('env', { env: { PATH: process.env['PATH'], ONE: '1', TWO: undefined } })
    const names = ran.stdout
      .toString()
      .split('\n')
      .map((line) => line.split('=', 1)[0])
    expect(
      names
        .filter((name) => !['PWD', 'SHLVL', '_', ''].includes(name ?? ''))
        .toSorted((a, b) => (a ?? '').localeCompare(b ?? '')),
    ).toEqual(['ONE', 'PATH'])
  })

  test('that a signal ends has that signal and no status', async () => {
    expect(await run('kill -KILL $$')).toMatchObject({ status: null, signal: 'SIGKILL' })
  })

  test('that does not exist, or cannot be run, is distinguished from one that fails', async () => {
    expect((await failureOf('', { file: 'no-such-program' })).reason).toBe('not-found')
    expect(await failureOf('', { file: '/etc/passwd' })).toMatchObject({ reason: 'not-found', result: null })
  })

  test('that takes too long, or is silent for too long, is ended', async () => {
    const late = await failureOf('while :; do echo x; sleep 0.05; done', { timeout: 300 })
    expect(late).toMatchObject({ reason: 'timeout', limit: 300, result: { signal: 'SIGTERM' } })
    expect(late.result?.stdout.toString()).toMatch(/^x\n/)
    expect(await failureOf('sleep 60', { idleTimeout: 200 })).toMatchObject({ reason: 'idle-timeout', limit: 200 })
    expect((await run('for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.1; done', { idleTimeout: 500 })).status).toBe(0)
  })

  test('that ignores SIGTERM is killed', async () => {
    const ignoring = await failureOf('trap "" TERM; while :; do sleep 0.1; done', { timeout: 200 })
    expect(ignoring).toMatchObject({ reason: 'timeout', result: { signal: 'SIGKILL' } })
  })

  test('is ended together with its children, even if those ignore SIGTERM', async () => {
    const script = '(trap "" TERM; exec >/dev/null 2>&1; while :; do sleep 0.1; done) & echo $!; wait'
    const late = await failureOf(script, { timeout: 300 })
    const pid = Number(late.result?.stdout.toString())
    expect(pid).toBeGreaterThan(1)
    await expect.poll(() => hasEnded(pid)).toBe(true)
  })

  test('is ended when the operation is cancelled, and not started afterwards', async () => {
    const control = new AbortController()
    const running = run('echo ready; sleep 60', {
      signal: control.signal,
      stdout: passTo(() => control.abort()),
    })
    await expect(running).rejects.toMatchObject({ code: 'INTERRUPTED' })
    const mark = join(folder, 'started')
    await expect(run(`touch ${mark}`, { signal: control.signal })).rejects.toMatchObject({ code: 'INTERRUPTED' })
    expect(existsSync(mark)).toBe(false)
  })

  test('whose child keeps its streams open is not waited for', async () => {
    const ran = await run('echo done; (sleep 30; true) & exit 0')
    expect([ran.status, ran.stdout.toString()]).toEqual([0, 'done\n'])
  })

  test('is ended by an error of the code that reads its output or watches it', async () => {
    const enough = (): never => {
      throw new Error('enough')
    }
    await expect(run('while :; do echo x; done', { stdout: passTo(enough) })).rejects.toThrow('enough')
    await expect(run('sleep 30', { onTick: enough })).rejects.toThrow('enough')
  })

  test('has no terminal to prompt the user on', async () => {
    expect((await run('(exec </dev/tty) 2>/dev/null && echo terminal || echo none')).stdout.toString()).toBe('none\n')
  })
})

describe('the output of a program', () => {
  test('ends it at the size limit', async () => {
    const large = await failureOf('while :; do echo x; done', { stdout: { limit: 10, overflow: 'fail' } })
    expect(large).toMatchObject({ reason: 'output-too-large', limit: 10 })
  })

  test('is kept from its start or to its end, as requested', async () => {
    const print = 'for i in 1 2 3 4 5 6 7 8 9; do printf $i; sleep 0.01; done'
    const start = await run(print, { stdout: { limit: 4, overflow: 'keep-start' } })
    expect([start.stdout.toString(), start.truncated]).toEqual(['1234', true])
    const end = await run(print, { stdout: { limit: 4, overflow: 'keep-end' } })
    expect([end.stdout.toString(), end.truncated]).toEqual(['6789', true])
    const exact = await run(print, { stdout: { limit: 9, overflow: 'keep-end' } })
    expect([exact.stdout.toString(), exact.truncated]).toEqual(['123456789', false])
  })

  test('goes into a file too, up to the limit', async () => {
    const file = join(folder, 'output')
    const ran = await run('printf 123456; printf no >&2', {
      stdout: { limit: 4, overflow: 'keep-start', file },
      stderr: { limit: 100, overflow: 'keep-start', file: join(folder, 'errors') },
    })
    expect([readFileSync(file, 'utf8'), ran.stdout.toString(), ran.truncated]).toEqual(['1234', '1234', true])
    expect(readFileSync(join(folder, 'errors'), 'utf8')).toBe('no')
  })

  test('of both streams can be combined', async () => {
    const ran = await run('echo 1; sleep 0.1; echo 2 >&2; sleep 0.1; echo 3', { stderr: 'stdout' })
    expect([ran.stdout.toString(), ran.stderr]).toEqual(['1\n2\n3\n', ''])
  })
})
