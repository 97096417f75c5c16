import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../context.ts'
import { sha512Hex } from './hash.ts'
import { commandOutput, inspectProcess } from './process-state.ts'

/**
 * How this process is told from every other one. What costs a child process on some systems is looked up when it is
 * first asked for. A part that cannot be found out is the empty string and compares as such.
 */
export const processIdentity = (): ProcessIdentity => {
  const start = memoize(() => startTimeOf(process.pid))
  const boot = memoize(bootId)
  const namespace = memoize(pidNamespace)
  const machine = memoize(() => (namespace() === INITIAL_NAMESPACE ? machineId() : ''))
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

const startTimeOf = (pid: number): string => {
  const seen = inspectProcess(pid)
  return seen.state === 'running' ? seen.start : ''
}

/** One value for each start of the machine. */
const bootId = (): string => {
  if (process.platform === 'darwin') {
    return (
      commandOutput('sysctl', ['-n', 'kern.bootsessionuuid']) ?? commandOutput('sysctl', ['-n', 'kern.boottime']) ?? ''
    )
  }
  return orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** Containers number their processes anew; a pid means something only among those of one namespace. */
const pidNamespace = (): string => orEmpty(() => readlinkSync('/proc/self/ns/pid'))

/** The namespace that Linux starts with has always this number. Images of containers may all have one machine id. */
const INITIAL_NAMESPACE = 'pid:[4026531836]'

/** The id itself is not to be shown around. */
const machineId = (): string => {
  const id = orEmpty(() => readFileSync('/etc/machine-id', 'utf8').trim())
  return id === '' ? '' : sha512Hex(`gsd ${id}`).slice(0, 16)
}

const orEmpty = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}

const memoize = (read: () => string): (() => string) => {
  let value: string | undefined
  return () => (value ??= read())
}
