import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { install } from '../../src/operation/install.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { Killed } from '../helpers/fault-disk.ts'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { consentPrompt, treeState } from '../helpers/scratch.ts'
import { deadProcess, makeTestContext } from '../helpers/test-context.ts'

const HELLO = join(import.meta.dirname, '../../fixtures/bundles/hello-hook')

let machine: Machine
beforeEach(async () => {
  machine = makeMachine()
  cpSync(HELLO, join(machine.root, 'hello-hook'), { recursive: true })
  mkdirSync(join(machine.home, '.claude'))
  writeFileSync(join(machine.home, '.claude/settings.json'), '{}\n')
  await dieWhileInstalling()
})
afterEach(() => machine.remove())

/** Leaves the state of a process that was killed after it had placed the bundle. */
const dieWhileInstalling = async (): Promise<void> => {
  const disk = {
    ...realDisk,
    renameSync: (from: string, to: string): void => {
      realDisk.renameSync(from, to)
      if (to.endsWith('/.gsd/capabilities/hello-hook')) throw new Killed()
    },
  }
  const dead = { ...makeTestContext(machine.root).context, disk: diskKilledAt(disk), identity: deadProcess() }
  await expect(
    install(dead, {
      specs: [join(machine.root, 'hello-hook')],
      scope: 'global',
      integrity: null,
      runtimes: ['claude'],
      settings: null,
      force: false,
      replace: false,
      allowHttp: false,
      allowHidden: false,
      dryRun: false,
      consentPrompt: consentPrompt(),
    }),
  ).rejects.toBeInstanceOf(Killed)
  expect(existsSync(journal())).toBe(true)
}

/** After a call fails because the process is dead, every later call fails. */
const diskKilledAt = (disk: typeof realDisk): typeof realDisk => {
  let dead = false
  return Object.fromEntries(
    Object.entries(disk).map(([name, real]) => [
      name,
      (...args: unknown[]) => {
        if (dead) throw new Killed()
        try {
          return (real as (...all: unknown[]) => unknown)(...args)
        } catch (error) {
          dead = error instanceof Killed
          throw error
        }
      },
    ]),
  ) as unknown as typeof realDisk
}

const treeWithoutCache = (): string[] => treeState(machine.root).filter((line) => !line.startsWith('cache/'))
const journal = (): string => join(machine.home, '.gsd/.journal.json')

describe('after an install that was killed', () => {
  it.each([
    ['cap', 'info', 'ui'],
    ['cap', 'info', '../hello-hook'],
    ['cap', 'validate', '../hello-hook'],
    ['cap', 'list', '--dry-run'],
    ['cap', 'install', '../hello-hook', '--dry-run', '--force'],
  ])('a command without write permission says so once and changes nothing: %s %s %s', async (...line) => {
    const before = treeWithoutCache()
    const run = await machine.gsd([...line, '--json'])
    expect(run.json.warnings.filter(({ code }) => code === 'STATE_BUSY')).toHaveLength(1)
    expect(run.stderr.match(/STATE_BUSY/g)).toHaveLength(1)
    expect(treeWithoutCache()).toEqual(before)
  })

  it.each([
    ['cap', 'list'],
    ['cap', 'install', '../hello-hook', '--runtime', 'claude', '--yes'],
    ['cap', 'remove', 'ui'],
    ['cap', 'pack', '../hello-hook', '--out', '../x.tgz'],
  ])('any other command undoes it first and says so in one line: %s %s %s', async (...line) => {
    const run = await machine.gsd(line)
    expect(
      run.stderr.split('\n').filter((text) => text.includes('"install hello-hook" was interrupted and is undone now')),
    ).toHaveLength(1)
    expect(existsSync(journal())).toBe(false)
    expect(existsSync(join(machine.home, '.gsd/capabilities/hello-hook'))).toBe(line[1] === 'install')
  })
})
