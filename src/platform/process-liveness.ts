import type { ProcessIdentity } from '../context.ts'
import { isErrno } from './disk-error.ts'
import { sha512Hex } from './hash.ts'
import { inspectProcess } from './process-state.ts'

/** `unknown`: it is, or was, on another machine or in another container, where our pids mean nothing. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/**
 * Whether the process that signed something still runs. Certain for those of this machine, this boot and this pid
 * namespace, by pid and start time, and for those from before this machine was started again; nothing can be said of others.
 */
export const livenessOf = (other: ProcessIdentity, self: ProcessIdentity): Liveness => {
  if (
    other.boot !== self.boot &&
    machineDigest(other) !== UNKNOWN_MACHINE &&
    machineDigest(other) === machineDigest(self)
  )
    return 'dead'
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown'
  if (!processExists(other.pid)) return 'dead'
  const seen = inspectProcess(other.pid)
  if (seen.state === 'ended') return 'dead'
  // Another user's process may be hidden although it exists; then the pid alone has to do, and does not remove anything.
  return seen.state === 'running' && other.start !== '' && seen.start !== other.start ? 'dead' : 'alive'
}

const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isErrno(error, 'ESRCH')
  }
}

/**
 * Sixteen hex digits: eight for the machine, and eight for host, boot and pid namespace, among which pids can be compared.
 */
export const pidScopeOf = (identity: ProcessIdentity): string => {
  const { host, boot, namespace } = identity
  return machineDigest(identity) + sha512Hex([host, boot, namespace].join('\0')).slice(0, DIGITS)
}

const DIGITS = 8
const UNKNOWN_MACHINE = '0'.repeat(DIGITS)

const machineDigest = ({ machine = '', host, boot }: ProcessIdentity): string =>
  machine === '' || boot === '' ? UNKNOWN_MACHINE : sha512Hex(`${machine}\0${host}`).slice(0, DIGITS)

/** Whether a process of which only pid and realm are known has certainly ended. */
export const hasEnded = (pid: number, realm: string, self: ProcessIdentity): boolean => {
  if (realm.slice(DIGITS) === pidScopeOf(self).slice(DIGITS))
    return livenessOf({ ...self, pid, start: '' }, self) === 'dead'
  return !realm.startsWith(UNKNOWN_MACHINE) && realm.slice(0, DIGITS) === machineDigest(self)
}

/** An identity as it was written into a file of ours; null when it is not one. */
export const parseIdentity = (value: unknown): ProcessIdentity | null => {
  if (typeof value !== 'object' || value === null) return null
  const { pid, start, boot, host, namespace, machine } = value as Partial<Record<string, unknown>>
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || pid > 0x7fffffff) return null
  if (typeof start !== 'string' || typeof boot !== 'string') return null
  if (typeof host !== 'string' || typeof namespace !== 'string') return null
  return { pid, start, boot, host, namespace, machine: typeof machine === 'string' ? machine : '' }
}
