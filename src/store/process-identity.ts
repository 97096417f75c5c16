import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../context.ts'
import { hashOf } from './hash.ts'
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
  const machine = once(() => (namespace() === OUTERMOST ? machineId() : ''))
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
    get machine() {
      return machine()
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

/** The namespace that Linux starts with has always this number. Images of containers may all have one machine id. */
const OUTERMOST = 'pid:[4026531836]'

/** The id itself is not to be shown around. */
const machineId = (): string => {
  const id = orEmpty(() => readFileSync('/etc/machine-id', 'utf8').trim())
  return id === '' ? '' : hashOf(`gsd ${id}`).slice(0, 16)
}

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
