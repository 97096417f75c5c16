import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../context.ts'
import { lookUp } from './process-start.ts'
import { outputOf } from './system-command.ts'

/**
 * How this process is told from every other one. What costs a child process on some systems is looked up when it is
 * first asked for. A part that cannot be found out is the empty string and compares as such.
 */
export const processIdentity = (): ProcessIdentity => {
  const start = once(() => startOf(process.pid))
  const boot = once(bootId)
  const namespace = once(pidNamespace)
  return {
    pid: process.pid,
    host: hostname(),
    get start() {
      return start()
    },
    get boot() {
      return boot()
    },
    get namespace() {
      return namespace()
    },
  }
}

const startOf = (pid: number): string => {
  const seen = lookUp(pid)
  return seen.state === 'running' ? seen.start : ''
}

/** One value for each start of the machine. */
const bootId = (): string => {
  if (process.platform === 'darwin') {
    return outputOf('sysctl', ['-n', 'kern.bootsessionuuid']) ?? outputOf('sysctl', ['-n', 'kern.boottime']) ?? ''
  }
  return orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** Containers number their processes anew; a pid means something only among those of one namespace. */
const pidNamespace = (): string => orEmpty(() => readlinkSync('/proc/self/ns/pid'))

const orEmpty = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}

const once = (read: () => string): (() => string) => {
  let value: string | undefined
  return () => (value ??= read())
}
