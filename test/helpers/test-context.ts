import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeContext } from '../../src/cli/make-context.ts'
import type { Context, Report } from '../../src/context.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import type { ProcessIdentity } from '../../src/platform/identity.ts'
import { processIdentity } from '../../src/platform/identity.ts'

export interface TestContext {
  readonly context: Context
  readonly reports: Report[]
}

export interface TestContextOptions {
  readonly disk?: Disk
  readonly identity?: ProcessIdentity
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The constant time of its clock; milliseconds since the epoch. */
  readonly now?: number
}

/** One process in a machine of its own below `root`: `home`, and `project` as the working directory. */
export const makeTestContext = (root: string, options: TestContextOptions = {}): TestContext => {
  const { disk = realDisk, identity = processIdentity(), signal = new AbortController().signal } = options
  const home = join(root, 'home')
  mkdirSync(home, { recursive: true })
  mkdirSync(join(root, 'project', '.git'), { recursive: true })
  const reports: Report[] = []
  const env = { HOME: home, XDG_CACHE_HOME: join(root, 'cache'), PATH: process.env['PATH'] ?? '', ...options.env }
  const context = makeContext({
    cwd: options.cwd ?? join(root, 'project'),
    cache: join(env.XDG_CACHE_HOME, 'gsd-capability'),
    env,
    signal,
    report: (report) => void reports.push(report),
  })
  const now = options.now
  return { context: { ...context, disk, identity, ...(now === undefined ? {} : { now: () => now }) }, reports }
}

/** A dead process of this machine: its pid is above the maximum. */
export const deadProcess = (): ProcessIdentity => {
  const { boot, host, namespace, machine = '' } = processIdentity()
  return { pid: 0x7fff_fff0, start: '1', boot, host, namespace, machine }
}
