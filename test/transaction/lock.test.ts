import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { realDisk } from '../../src/platform/disk.ts'
import type { ProcessIdentity } from '../../src/platform/identity.ts'
import { processIdentity } from '../../src/platform/identity.ts'
import { newEntryName } from '../../src/transaction/lock-entry.ts'
import { withLock } from '../../src/transaction/lock.ts'
import { buildWorker } from '../helpers/build-worker.ts'
import { faultDisk } from '../helpers/fault-disk.ts'
import { waitForExit } from '../helpers/gsd.ts'
import { deadProcess, makeTestContext } from '../helpers/test-context.ts'
import { treeOf } from '../helpers/tree.ts'

let worker = ''
beforeAll(async () => {
  worker = await buildWorker('lock-process')
})
afterAll(() => rmSync(dirname(worker), { recursive: true, force: true }))

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-lock-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const start = (...args: readonly string[]): ChildProcess => spawn(process.execPath, [worker, root, ...args])
const lockFolder = (): string => join(root, 'home/.gsd/.lock')

/** A holder in a process of its own, from the moment it holds the lock. */
const holder = async (): Promise<ChildProcess> => {
  const child = start('hold', '60000')
  if (child.stdout !== null) await once(child.stdout, 'data')
  return child
}

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Writes an entry of a process into the lock folder; returns its path. */
const writeLockEntry = (identity: ProcessIdentity, text = JSON.stringify(identity)): string => {
  mkdirSync(lockFolder(), { recursive: true })
  const file = join(lockFolder(), newEntryName(identity, Date.now()))
  writeFileSync(file, text)
  return file
}

const otherMachineIdentity = (): ProcessIdentity => ({ ...processIdentity(), host: 'another-machine', pid: 1 })
const minutesAgo = (file: string, minutes: number): void => {
  const time = new Date(Date.now() - minutes * 60_000)
  utimesSync(file, time, time)
}

const lock = <T>(fn: () => T | Promise<T>, waitMs?: number, other = makeTestContext(root)): Promise<T> =>
  withLock(other.context, other.context.global, fn, waitMs === undefined ? {} : { waitMs })

const refusal = async (work: Promise<unknown>): Promise<GsdError> => {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof GsdError) return error
  throw error
}

describe('processes that need the same lock', () => {
  test('exclude each other: no count of twelve of them is lost', async () => {
    makeTestContext(root)
    writeFileSync(join(root, 'counter'), '0')
    const runs = await Promise.all(Array.from({ length: 12 }, () => waitForExit(start('count', '8'))))
    expect(runs.map(({ stdout, stderr }) => stdout + stderr).join('')).toBe('')
    expect(readFileSync(join(root, 'counter'), 'utf8')).toBe('96')
    expect(existsSync(lockFolder())).toBe(false)
  })

  test('within one process exclude each other too', async () => {
    let inside = 0
    const work = async (): Promise<void> => {
      inside += 1
      expect(inside).toBe(1)
      await sleep(2)
      inside -= 1
    }
    await Promise.all(Array.from({ length: 8 }, () => lock(work)))
  })

  test('are named when one stays longer than the other waits, and nothing of the holder is touched', async () => {
    const child = await holder()
    const before = readdirSync(lockFolder())
    const error = await refusal(lock(() => 'in', 300))
    expect(error.code).toBe('LOCK_HELD')
    expect(error.exitStatus).toBe(4)
    expect(error.message).toContain(`process ${child.pid}`)
    expect(readdirSync(lockFolder())).toEqual(before)
    await kill(child)
  })

  test('report once that they wait', async () => {
    const child = await holder()
    const other = makeTestContext(root)
    await refusal(lock(() => 'in', 900, other))
    expect(other.reports).toEqual([{ kind: 'notice', text: expect.stringContaining(`process ${child.pid}`) }])
    await kill(child)
  })

  test('get it at once when the holder was killed', async () => {
    const child = await holder()
    await kill(child)
    expect(readdirSync(lockFolder())).toHaveLength(1)
    expect(await lock(() => 'in', 0)).toBe('in')
  })

  test('get it when the holder is killed while they wait', async () => {
    const child = await holder()
    const waiting = lock(() => 'in')
    await sleep(100)
    await kill(child)
    expect(await waiting).toBe('in')
  })

  test('stop waiting when the user interrupts, and leave nothing', async () => {
    const child = await holder()
    const before = readdirSync(lockFolder())
    const controller = new AbortController()
    const waiting = refusal(lock(() => 'in', 30_000, makeTestContext(root, { signal: controller.signal })))
    await sleep(50)
    controller.abort()
    expect((await waiting).code).toBe('INTERRUPTED')
    expect(readdirSync(lockFolder())).toEqual(before)
    await kill(child)
  })
})

describe('an entry in the lock folder', () => {
  test('of a dead process is removed', async () => {
    const file = writeLockEntry(deadProcess())
    expect(await lock(() => existsSync(file), 0)).toBe(false)
  })

  test('of a process whose pid was reused is removed', async () => {
    const file = writeLockEntry({ ...processIdentity(), start: 'long ago' })
    expect(await lock(() => existsSync(file), 0)).toBe(false)
  })

  test('of a running process stays, however old it seems', async () => {
    const file = writeLockEntry(processIdentity())
    minutesAgo(file, 600)
    expect((await refusal(lock(() => 'in', 200))).code).toBe('LOCK_HELD')
    expect(existsSync(file)).toBe(true)
  })

  test('of another machine stays while it is fresh', async () => {
    const file = writeLockEntry(otherMachineIdentity())
    const error = await refusal(lock(() => 'in', 200))
    expect(error.message).toContain('another-machine')
    expect(existsSync(file)).toBe(true)
  })

  test('of another container is not compared with pids here', async () => {
    const file = writeLockEntry({ ...deadProcess(), namespace: 'pid:[1]' })
    expect((await refusal(lock(() => 'in', 200))).code).toBe('LOCK_HELD')
    expect(existsSync(file)).toBe(true)
  })

  // Each waits for seconds, so all of them run in parallel, each in a home of its own.
  test('of another machine is removed when it is old and silent, and stays while it beats: a clock may have jumped', async () => {
    const cases = [10, -600].flatMap((minutes) => [true, false].map((beats) => ({ minutes, beats })))
    const ends = await Promise.all(
      cases.map(async ({ minutes, beats }, index) => {
        const other = makeTestContext(join(root, String(index)))
        const folder = other.context.user.lock
        mkdirSync(folder, { recursive: true })
        const file = join(folder, newEntryName(otherMachineIdentity(), Date.now()))
        writeFileSync(file, JSON.stringify(otherMachineIdentity()))
        minutesAgo(file, minutes)
        let later = 0
        const heartbeat = setInterval(() => beats && minutesAgo(file, minutes + (later += 0.001)), 1000)
        try {
          return await lock(() => `taken, entry ${existsSync(file) ? 'there' : 'gone'}`, 8000, other)
        } catch (error) {
          return `${error instanceof GsdError ? error.code : String(error)}, entry ${existsSync(file) ? 'there' : 'gone'}`
        } finally {
          clearInterval(heartbeat)
        }
      }),
    )
    expect(ends).toEqual(cases.map(({ beats }) => (beats ? 'LOCK_HELD, entry there' : 'taken, entry gone')))
  })

  test('of another machine that is old is observed before it is removed', async () => {
    const file = writeLockEntry(otherMachineIdentity())
    minutesAgo(file, 600)
    expect((await refusal(lock(() => 'in', 500))).code).toBe('LOCK_HELD')
    expect(existsSync(file)).toBe(true)
  })

  test('that is incomplete counts as fresh until it is old', async () => {
    const file = writeLockEntry(otherMachineIdentity(), '')
    expect((await refusal(lock(() => 'in', 200))).code).toBe('LOCK_HELD')
    expect(existsSync(file)).toBe(true)
  })

  test('that lost its content is identified by its name, and is removed with its process', async () => {
    const file = writeLockEntry(deadProcess(), '')
    expect(await lock(() => existsSync(file), 0)).toBe(false)
  })

  test('from before this machine was restarted is removed at once', async () => {
    const self = { ...processIdentity(), machine: 'its own' }
    const file = writeLockEntry({ ...self, boot: 'an earlier one' })
    expect(await lock(() => existsSync(file), 0, makeTestContext(root, { identity: self }))).toBe(false)
  })

  test('that was started by a dead process is removed, and one of a running process is not', async () => {
    const temporary = (identity: ProcessIdentity): string =>
      join(lockFolder(), `.new-${newEntryName(identity, Date.now())}`)
    mkdirSync(lockFolder(), { recursive: true })
    const [dead, live] = [temporary(deadProcess()), temporary(processIdentity())]
    for (const file of [dead, live]) writeFileSync(file, '')
    await lock(() => undefined, 0)
    expect([existsSync(dead), existsSync(live)]).toEqual([false, true])
  })

  test('with an unknown name blocks nobody and stays', async () => {
    mkdirSync(lockFolder(), { recursive: true })
    const file = join(lockFolder(), '.DS_Store')
    writeFileSync(file, '')
    expect(await lock(() => 'in', 0)).toBe('in')
    expect(existsSync(file)).toBe(true)
  })

  test('that is a pipe hangs nothing', async () => {
    mkdirSync(lockFolder(), { recursive: true })
    const file = join(lockFolder(), newEntryName(otherMachineIdentity(), Date.now()))
    spawnSync('mkfifo', [file])
    expect((await refusal(lock(() => 'in', 100))).code).toBe('LOCK_HELD')
  })
})

describe('a lock', () => {
  test('leaves nothing behind, even when the work fails', async () => {
    makeTestContext(root)
    const before = readdirSync(root, { recursive: true })
    await expect(lock(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(readdirSync(root, { recursive: true })).toEqual(before)
  })

  test('of a project is two: the home first, then its own, both in the home', async () => {
    const { context } = makeTestContext(root)
    const project = context.project ?? context.global
    const held = await withLock(context, project, () =>
      [context.user.lock, project.lock].map((folder) => readdirSync(folder).length),
    )
    expect(held).toEqual([1, 1])
    expect(readdirSync(join(root, 'project'))).toEqual(['.git'])
    expect(existsSync(join(root, 'home/.gsd'))).toBe(false)
  })

  for (const errno of ['ENOSPC', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE']) {
    test(`that cannot be acquired gives the reason: ${errno}`, async () => {
      makeTestContext(root)
      const before = treeOf(root)
      const realCalls = faultDisk(realDisk, { kind: 'none' })
      await lock(() => undefined, 0, makeTestContext(root, { disk: realCalls.disk }))
      const at = realCalls.calls.findIndex(({ name }) => name === 'linkSync')
      const { disk } = faultDisk(realDisk, { kind: 'errno', at, errno })
      const error = await refusal(lock(() => 'in', 0, makeTestContext(root, { disk })))
      expect([error.code, error.exitStatus]).toEqual(['LOCK_FAILED', 5])
      expect(error.details).toEqual({ errno })
      expect(treeOf(root)).toEqual(before)
    })
  }

  test('in a home without write permission is refused with that reason', async () => {
    makeTestContext(root)
    chmodSync(root, 0o755)
    chmodSync(join(root, 'home'), 0o555)
    const nobody = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    chmodSync(dirname(worker), 0o755)
    const run = await waitForExit(spawn(process.execPath, [worker, root, 'hold', '0'], nobody))
    expect(run.stdout).toMatch(/^LOCK_FAILED .*permission denied/)
    expect(readdirSync(join(root, 'home'))).toEqual([])
  })
})
