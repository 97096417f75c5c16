import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { lazy } from '../lazy.ts'
import { isErrno } from './disk-error.ts'
import { sha512Hex } from './hash.ts'
import { commandOutput } from './process.ts'

/** What identifies a process among all others, now and after a restart of the machine. An unknown part is ''. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time as the system counts it; two processes with one pid differ in it. */
  readonly start: string
  /** Differs after each start of the machine. */
  readonly boot: string
  readonly host: string
  /** pid namespace; pids of another one mean nothing here. */
  readonly namespace: string
  /** Hash of the machine's id, the same after a restart; '' in a container, and where there is no id. */
  readonly machine?: string
}

/** The identity of this process. Parts that take a child process on some systems are read on first use. */
export const processIdentity = (): ProcessIdentity => {
  const start = lazy(() => startTimeOf(process.pid))
  const boot = lazy(bootId)
  const namespace = lazy(() => orEmpty(() => readlinkSync('/proc/self/ns/pid')))
  const machine = lazy(() => (namespace() === INITIAL_NAMESPACE ? machineId() : ''))
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
  const found = inspectProcess(pid)
  return found.state === 'running' ? found.start : ''
}

const bootId = (): string =>
  process.platform === 'darwin'
    ? (commandOutput('sysctl', ['-n', 'kern.bootsessionuuid']) ??
      commandOutput('sysctl', ['-n', 'kern.boottime']) ??
      '')
    : orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

/** Linux gives its first namespace always this number. In containers machine ids are useless: images share them. */
const INITIAL_NAMESPACE = 'pid:[4026531836]'

/** Hashed, because the id itself is confidential (machine-id(5)). */
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

/** What the system says about a pid. `unseen`: there is no such process, or it is hidden from this user. */
export type ProcessState =
  | { readonly state: 'running'; readonly start: string }
  | { readonly state: 'ended' }
  | { readonly state: 'unseen' }

/** Looks a pid up, with its start time: two processes that had the same pid differ in it. */
export const inspectProcess = (pid: number): ProcessState => {
  if (process.platform !== 'linux') return parsePs(commandOutput('ps', [...PS_ARGUMENTS, String(pid)]) ?? '')
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return { state: 'unseen' }
  }
}

/** One option for each column: after `=` BSD takes the rest of the argument as a heading. */
const PS_ARGUMENTS = ['-o', 'stat=', '-o', 'lstart=', '-p'] as const

/**
 * Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. The second field is the program's name in brackets and may
 * contain blanks and brackets, so fields are counted from the last closing bracket.
 */
export const parseProcStat = (text: string): ProcessState => {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/)
  return processState(fields[0], fields[19])
}

/** `Ss   Mon Jan  1 00:00:00 2001`: state, then start time. */
export const parsePs = (text: string): ProcessState => {
  const [state, ...start] = text.trim().split(/\s+/)
  return processState(state, start.join(' '))
}

/** A zombie or dying process no longer runs code, even while its parent has not reaped it. */
const processState = (state: string | undefined, start: string | undefined): ProcessState => {
  if (state === undefined || state === '' || start === undefined || start === '') return { state: 'unseen' }
  return /^[ZXx]/.test(state) ? { state: 'ended' } : { state: 'running', start }
}

/** `unknown`: the process belongs to another machine or container, where our pids mean nothing. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/**
 * Whether a process still runs. Certain for processes of this machine, boot and pid namespace, by pid and start time, and
 * for those from before this machine's last restart; all others are unknown.
 */
export const livenessOf = (other: ProcessIdentity, self: ProcessIdentity): Liveness => {
  const machine = machineDigest(other)
  if (other.boot !== self.boot && machine !== UNKNOWN_MACHINE && machine === machineDigest(self)) return 'dead'
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown'
  if (!processExists(other.pid)) return 'dead'
  const found = inspectProcess(other.pid)
  if (found.state === 'ended') return 'dead'
  // Another user's process may be hidden; then its pid alone decides, which errs on the side of alive.
  return found.state === 'running' && other.start !== '' && found.start !== other.start ? 'dead' : 'alive'
}

const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isErrno(error, 'ESRCH')
  }
}

/** Sixteen hex digits: eight for the machine, and eight for host, boot and pid namespace, in which pids are comparable. */
export const pidScopeOf = (identity: ProcessIdentity): string => {
  const { host, boot, namespace } = identity
  return machineDigest(identity) + sha512Hex([host, boot, namespace].join('\0')).slice(0, DIGITS)
}

const DIGITS = 8
const UNKNOWN_MACHINE = '0'.repeat(DIGITS)

const machineDigest = ({ machine = '', host, boot }: ProcessIdentity): string =>
  machine === '' || boot === '' ? UNKNOWN_MACHINE : sha512Hex(`${machine}\0${host}`).slice(0, DIGITS)

/** Whether a process of which only pid and {@link pidScopeOf} are known has certainly ended. */
export const hasEnded = (pid: number, scope: string, self: ProcessIdentity): boolean => {
  if (scope.slice(DIGITS) === pidScopeOf(self).slice(DIGITS))
    return livenessOf({ ...self, pid, start: '' }, self) === 'dead'
  return !scope.startsWith(UNKNOWN_MACHINE) && scope.slice(0, DIGITS) === machineDigest(self)
}

/** Reads an identity that was stored as JSON; null where it is malformed. */
export const parseIdentity = (value: unknown): ProcessIdentity | null => {
  if (typeof value !== 'object' || value === null) return null
  const { pid, start, boot, host, namespace, machine } = value as Partial<Record<string, unknown>>
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || pid > 0x7fffffff) return null
  if (typeof start !== 'string' || typeof boot !== 'string') return null
  if (typeof host !== 'string' || typeof namespace !== 'string') return null
  return { pid, start, boot, host, namespace, machine: typeof machine === 'string' ? machine : '' }
}
