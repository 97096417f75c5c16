import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeContext } from '../../src/cli/make-context.ts'
import { withLock } from '../../src/transaction/lock.ts'
import { waitForExit, type Machine, makeMachine } from '../helpers/gsd.ts'
import { runOnTerminal } from '../helpers/terminal.ts'

const INSTALL = ['capability', 'install', '../hello-hook', '--json']

let machine: Machine

beforeEach(() => {
  machine = makeMachine()
  cpSync(join(import.meta.dirname, '../../fixtures/bundles/hello-hook'), join(machine.root, 'hello-hook'), {
    recursive: true,
  })
  mkdirSync(join(machine.home, '.claude'))
})
afterEach(() => machine.remove())

const installed = (): boolean => existsSync(join(machine.home, '.gsd/capabilities/hello-hook'))

/** Runs `work` while this process holds the lock of the global scope. */
const whileLocked = async <T>(work: () => Promise<T>): Promise<T> => {
  const context = makeContext({
    cwd: machine.project,
    env: machine.env,
    signal: new AbortController().signal,
    report: () => {},
  })
  return await withLock(context, context.global, work)
}

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s while another program runs ends the command with 130, at once and clean',
    async (signal) => {
      const run = await whileLocked(async () => {
        const child = machine.start([...INSTALL, '--yes'])
        child.stderr?.on('data', (chunk: Buffer) => {
          if (chunk.includes('waiting')) child.kill(signal)
        })
        return await waitForExit(child)
      })
      expect(run).toMatchObject({ status: 130, signal: null })
      expect(run.json).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' } })
      expect(installed()).toBe(false)
      expect(existsSync(join(machine.home, '.gsd/.staging'))).toBe(false)
      expect((await machine.gsd([...INSTALL, '--yes'])).status).toBe(0)
    },
  )

  it('at the prompt ends the command with 130 too', async () => {
    const typing = [{ after: 'View every file first', signal: 'SIGTERM' }] as const
    const { status } = await runOnTerminal(machine, ['capability', 'install', '../hello-hook', '--runtime', 'claude'], {
      typing,
    })
    expect(status).toBe(130)
    expect(installed()).toBe(false)
  })
})
