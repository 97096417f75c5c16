import type { ProcessIdentity } from '../context.ts'
import { isErrno } from './disk-error.ts'
import { hashOf } from './hash.ts'
import { lookUp } from './process-start.ts'

/** `unknown`: it is, or was, on another machine or in another container, where our pids mean nothing. */
export type Life = 'alive' | 'dead' | 'unknown'

/**
 * Whether the process that signed something still runs. Certain for those of this machine, this boot and this pid
 * namespace, by pid and start time; nothing can be said of others.
 */
export const lifeOf = (other: ProcessIdentity, self: ProcessIdentity): Life => {
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown'
  if (!exists(other.pid)) return 'dead'
  const seen = lookUp(other.pid)
  if (seen.state === 'ended') return 'dead'
  // Another user's process may be hidden although it exists; then the pid alone has to do, and does not remove anything.
  return seen.state === 'running' && other.start !== '' && seen.start !== other.start ? 'dead' : 'alive'
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isErrno(error, 'ESRCH')
  }
}

/** Eight hex digits for machine, boot and pid namespace: among processes with one mark, pids can be compared. */
export const realmOf = ({ host, boot, namespace }: ProcessIdentity): string =>
  hashOf([host, boot, namespace].join('\0')).slice(0, 8)

/** Whether a process of which only pid and realm are known has certainly ended. */
export const hasEnded = (pid: number, realm: string, self: ProcessIdentity): boolean =>
  realm === realmOf(self) && lifeOf({ ...self, pid, start: '' }, self) === 'dead'

/** An identity as it was written into a file of ours; null when it is not one. */
export const readIdentity = (value: unknown): ProcessIdentity | null => {
  if (typeof value !== 'object' || value === null) return null
  const { pid, start, boot, host, namespace } = value as Partial<Record<string, unknown>>
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || pid > 0x7fffffff) return null
  if (typeof start !== 'string' || typeof boot !== 'string') return null
  return typeof host !== 'string' || typeof namespace !== 'string' ? null : { pid, start, boot, host, namespace }
}
