import { describe, expect, test } from 'vitest'
import { ProgramNotFound, runProgram, ProcessTimeout, type ProcessOptions } from '../../src/platform/process.ts'

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

describe('a program', () => {
  test('answers with its status and both streams, and reads what it is given', async () => {
    const ran = await run('cat; echo no >&2; exit 3', { input: 'yes' })
    expect([ran.status, ran.stdout.toString(), ran.stderr]).toEqual([3, 'yes', 'no\n'])
  })

  test('that is not there, or may not be run, is told from one that fails', async () => {
    await expect(run('', { file: 'no-such-program' })).rejects.toBeInstanceOf(ProgramNotFound)
    await expect(run('', { file: '/etc/passwd' })).rejects.toBeInstanceOf(ProgramNotFound)
  })

  test('that takes too long, or says nothing for too long, is ended', async () => {
    await expect(run('while :; do echo x; sleep 0.05; done', { timeout: 300 })).rejects.toThrow('no end')
    await expect(run('sleep 60', { idleTimeout: 200 })).rejects.toBeInstanceOf(ProcessTimeout)
    expect((await run('for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.1; done', { idleTimeout: 500 })).status).toBe(0)
  })

  test('that does not want to end is ended all the same', async () => {
    await expect(run('trap "" TERM; while :; do sleep 0.1; done', { timeout: 200 })).rejects.toBeInstanceOf(
      ProcessTimeout,
    )
  })

  test('that leaves a helper behind, which holds its streams open, is not waited for', async () => {
    const ran = await run('echo done; (sleep 30; true) & exit 0')
    expect([ran.status, ran.stdout.toString()]).toEqual([0, 'done\n'])
  })

  test('is ended by what takes its output, which is thrown on', async () => {
    const onStdout = (): never => {
      throw new Error('enough')
    }
    await expect(run('while :; do echo x; done', { onStdout })).rejects.toThrow('enough')
    await expect(run('sleep 30', { onTick: onStdout })).rejects.toThrow('enough')
  })

  test('has no terminal to ask the user on', async () => {
    expect((await run('(exec </dev/tty) 2>/dev/null && echo terminal || echo none')).stdout.toString()).toBe('none\n')
  })
})
