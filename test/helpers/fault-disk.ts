import { constants } from 'node:fs'
import type { Disk } from '../../src/platform/disk.ts'

/** A fault of the disk, and when it occurs. Calls are counted from 0. */
export type Fault =
  | { readonly kind: 'none' }
  /** The process dies before the nth change; `torn`: a write has written half of its bytes by then. */
  | { readonly kind: 'kill'; readonly at: number; readonly torn?: boolean }
  /** The nth call of any kind fails, once. */
  | { readonly kind: 'errno'; readonly at: number; readonly errno: string }
  /** From the nth call on every call that needs space fails. */
  | { readonly kind: 'full'; readonly at: number }
  /** Every write accepts a single byte. */
  | { readonly kind: 'short' }
  /** From the nth call on every call with one of these names fails. */
  | { readonly kind: 'lasting'; readonly at: number; readonly errno: string; readonly calls: CallNames }
  /** This many bytes are free: a name or folder needs {@link ENTRY} each, a write that needs too many writes a part. */
  | { readonly kind: 'space'; readonly bytes: number; readonly errno: string }
  /** Everything `within` one folder is on another device than the rest. */
  | { readonly kind: 'device'; readonly within: string }
  /** Before the nth call the file, or link, that it names is deleted by another process. */
  | { readonly kind: 'vanish'; readonly at: number }

/** Which calls a fault stops: those that change something, those that open a file, or all. */
export type CallNames = 'changes' | 'opens' | 'all'

/** Bytes that a new name needs on the simulated disk. */
export const ENTRY = 256

export interface Call {
  readonly name: keyof Disk
  /** The paths among the arguments. */
  readonly paths: readonly string[]
  /** Index among the calls that change something; null for one that only reads. */
  readonly change: number | null
}

export interface FaultDisk {
  readonly disk: Disk
  readonly calls: readonly Call[]
  /** How many calls changed something, or would have. */
  readonly changes: () => number
  /** Whether the fault occurred. */
  readonly struck: () => boolean
  /** Closes every open descriptor, as the system does when a process ends. */
  readonly end: () => void
}

/** The process is dead: this call, and every later one, has no effect. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** A system error, as Node throws it. */
export const systemError = (errno: string, call: string): Error =>
  Object.assign(new Error(`${errno}: injected, ${call}`), { code: errno, syscall: call })

const CHANGES: ReadonlySet<string> = new Set([
  'writeSync',
  'fsyncSync',
  'fchmodSync',
  'fchownSync',
  'mkdirSync',
  'rmdirSync',
  'unlinkSync',
  'renameSync',
  'linkSync',
  'chmodSync',
  'syncAll',
])
const NEEDS_SPACE: ReadonlySet<string> = new Set(['writeSync', 'mkdirSync', 'linkSync'])

type AnyFunction = (...args: readonly unknown[]) => unknown

/** A disk that works until the fault strikes. */
export const faultDisk = (disk: Disk, fault: Fault): FaultDisk => {
  const calls: Call[] = []
  let changes = 0
  let struck = false
  let used = 0
  const open = new Set<number>()
  const guard =
    (name: keyof Disk, real: AnyFunction): AnyFunction =>
    (...args) => {
      if (struck && fault.kind === 'kill') throw new Killed()
      const change = isChange(name, args) ? changes++ : null
      const index = calls.push({ name, paths: args.flatMap(pathsIn), change }) - 1
      if (fault.kind === 'kill' && change === fault.at) {
        struck = true
        if (fault.torn === true && name === 'writeSync')
          real(args[0], args[1], args[2], Math.floor(Number(args[3]) / 2))
        throw new Killed()
      }
      if (fault.kind === 'errno' && index === fault.at) {
        struck = true
        // A descriptor is closed even if the call fails.
        if (name === 'closeSync') {
          real(...args)
          open.delete(Number(args[0]))
        }
        return failing(name, fault.errno)
      }
      if (fault.kind === 'full' && index >= fault.at && (NEEDS_SPACE.has(name) || isCreation(name, args))) {
        struck = true
        return failing(name, 'ENOSPC')
      }
      if (fault.kind === 'lasting' && index >= fault.at && isOneOf(fault.calls, name, change)) {
        struck = true
        if (name === 'closeSync') real(...args)
        return failing(name, fault.errno)
      }
      if (fault.kind === 'space' && (NEEDS_SPACE.has(name) || isCreation(name, args))) {
        const wanted = name === 'writeSync' ? Number(args[3]) : ENTRY
        const free = fault.bytes - used
        if (wanted > free) {
          struck = true
          if (name !== 'writeSync' || free <= 0) return failing(name, fault.errno)
          used += free
          return real(args[0], args[1], args[2], free)
        }
        used += wanted
      }
      if (fault.kind === 'device' && (name === 'renameSync' || name === 'linkSync')) {
        const [here, there] = args.map((path) => String(path).startsWith(fault.within))
        if (here !== there) {
          struck = true
          return failing(name, 'EXDEV')
        }
      }
      if (fault.kind === 'vanish' && index === fault.at) struck = removePath(disk, args[0])
      if (fault.kind === 'short' && name === 'writeSync') {
        struck = true
        return real(args[0], args[1], args[2], Math.min(1, Number(args[3])))
      }
      const result = real(...args)
      if (name === 'openSync') open.add(Number(result))
      if (name === 'closeSync') open.delete(Number(args[0]))
      return result
    }
  const guarded = Object.fromEntries(
    Object.entries(disk).map(([name, real]) => [name, guard(name as keyof Disk, real as AnyFunction)]),
  ) as unknown as Disk
  const end = (): void => {
    for (const fd of open) disk.closeSync(fd)
    open.clear()
  }
  return { disk: guarded, calls, changes: () => changes, struck: () => struck, end }
}

const isOneOf = (calls: CallNames, name: keyof Disk, change: number | null): boolean =>
  calls === 'all'
    ? name !== 'closeSync'
    : calls === 'opens'
      ? name === 'openSync' || name === 'syncAll'
      : change !== null

/** False if there is nothing to delete, or a folder. */
const removePath = (disk: Disk, path: unknown): boolean => {
  if (typeof path !== 'string') return false
  try {
    disk.unlinkSync(path)
    return true
  } catch {
    return false
  }
}

const failing = (name: keyof Disk, errno: string): unknown => {
  const error = systemError(errno, name)
  if (name === 'syncAll') return Promise.reject(error)
  throw error
}

const isChange = (name: keyof Disk, args: readonly unknown[]): boolean => CHANGES.has(name) || isCreation(name, args)

const isCreation = (name: keyof Disk, [, flags]: readonly unknown[]): boolean =>
  name === 'openSync' &&
  (typeof flags === 'string' ? !flags.startsWith('r') : (Number(flags) & (constants.O_CREAT | constants.O_TRUNC)) !== 0)

const pathsIn = (value: unknown): string[] =>
  typeof value === 'string' && value.includes('/') ? [value] : Array.isArray(value) ? value.flatMap(pathsIn) : []
