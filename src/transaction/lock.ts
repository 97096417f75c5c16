import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, ProcessIdentity } from '../context.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { errnoReason } from '../platform/disk-error.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { createLockEntry, newEntryName, type HeldLockEntry } from './lock-entry.ts'
import { openLockFolder, type LockHolder } from './lock-folder.ts'

export interface LockOptions {
  /** How long one live holder is waited for, in milliseconds. Default 30,000; 0 does not wait. */
  readonly waitMs?: number
}

/**
 * Runs `fn` while no other operation changes the scope: holds the home lock, and for a project the project's as well
 * (security page, "Operations"). Not to be nested.
 * @throws LOCK_HELD when a live holder stays past the wait, LOCK_FAILED when no lock can be taken, INTERRUPTED
 */
export const withLock = async <T>(
  context: Context,
  paths: ScopePaths,
  fn: () => T | Promise<T>,
  { waitMs = 30_000 }: LockOptions = {},
): Promise<T> => {
  const folders = [...new Set([context.user.lock, paths.lock])]
  const inner = folders.reduceRight<() => Promise<T>>(
    (next, folder) => () => withFolderLock(context, folder, waitMs, next),
    async () => fn(),
  )
  return inner()
}

const withFolderLock = async <T>(context: Context, folder: string, wait: number, fn: () => Promise<T>): Promise<T> => {
  const release = await acquire(context, folder, wait)
  try {
    return await fn()
  } finally {
    release()
  }
}

/**
 * Who sees nobody announces itself and looks again. Alone now: it holds the lock. Else the smallest name stays and waits
 * and the rest withdraw, so two can never both believe to be alone.
 */
const acquire = async (context: Context, folder: string, wait: number): Promise<() => void> => {
  const { disk, identity } = context
  const name = newEntryName(identity, context.now())
  const entries = openLockFolder(disk, folder, identity, name)
  const patience = createWait(context, folder, wait)
  const mine = ownEntry(context, folder, name)
  try {
    for (;;) {
      if (context.signal.aborted) throw interruptedError()
      let others = entries.otherHolders()
      if (others.length === 0 && !mine.isAnnounced()) {
        mine.announce()
        others = entries.otherHolders()
      }
      if (others.length === 0) break
      if (others.some((other) => other.name < name)) mine.withdraw()
      await patience(others)
    }
    entries.removeDeadEntries()
    return mine.leave
  } catch (error) {
    mine.leave()
    throw lockError(error, folder)
  }
}

/** How often a live process touches its entry, in milliseconds; far below the silence others need to see. */
const HEARTBEAT_MS = 2_000

/**
 * Our own entry: there, or not. Leaving also takes away the folders that were made on the way, and those of a project of
 * which nothing is kept any more.
 */
const ownEntry = ({ disk, identity, user }: Context, folder: string, name: string) => {
  const made = new Set<string>()
  let announced: HeldLockEntry | null = null
  let heartbeat: NodeJS.Timeout | undefined
  const withdraw = (): void => {
    clearInterval(heartbeat)
    const leaving = announced
    announced = null
    leaving?.remove()
  }
  return {
    isAnnounced: () => announced !== null,
    announce: () => {
      const mine = createLockEntry(disk, folder, name, identity)
      announced = mine
      for (const path of mine.createdFolders) made.add(path)
      heartbeat = setInterval(() => ignoreErrors(mine.touch), HEARTBEAT_MS)
      heartbeat.unref()
    },
    withdraw,
    /** What cannot be taken away now is dead with this process, and the next one takes it. */
    leave: () => {
      ignoreErrors(withdraw)
      for (const path of [folder, ...ancestorFolders(folder, user.gsd)]) made.add(path)
      removeEmptyFolders(disk, [...made].sort())
    },
  }
}

/** The folders between a folder and the one below which it lies. */
const ancestorFolders = (folder: string, below: string): string[] => {
  const above = dirname(folder)
  return above.startsWith(`${below}/`) ? [...ancestorFolders(above, below), above] : []
}

const ignoreErrors = (call: () => void): void => {
  try {
    call()
  } catch {
    // See the callers.
  }
}

/** How long a wait may last before it is worth a word, in milliseconds. */
const NOTICE_AFTER_MS = 250
const MIN_DELAY_MS = 5
const MAX_DELAY_MS = 60

/**
 * Sleeps between two looks. The time counts for each of the others from when it was first seen: a queue that moves is no
 * standstill. Of two that were seen at once the larger name is the holder, since only the smallest stays to wait.
 */
const createWait = (
  context: Context,
  folder: string,
  wait: number,
): ((others: readonly LockHolder[]) => Promise<void>) => {
  let since = new Map<string, number>()
  let nap = MIN_DELAY_MS
  let told = false
  return async (others) => {
    const now = performance.now()
    since = new Map(others.map(({ name }) => [name, since.get(name) ?? now]))
    const holder = others.reduce((a, b) => ((since.get(b.name) ?? now) <= (since.get(a.name) ?? now) ? b : a))
    const waited = now - (since.get(holder.name) ?? now)
    if (waited >= wait) throw lockHeldError(holder, folder)
    if (waited > NOTICE_AFTER_MS && !told) {
      told = true
      context.report({
        kind: 'notice',
        text: `waiting for another operation to end: ${describeHolder(holder.identity)}`,
      })
    }
    nap = Math.min(nap * 1.5, MAX_DELAY_MS)
    await sleep(nap * (0.5 + Math.random() / 2), undefined, { signal: context.signal }).catch(() => {
      throw interruptedError()
    })
  }
}

const describeHolder = (identity: ProcessIdentity | null): string =>
  identity === null ? 'a process that cannot be told' : `process ${identity.pid} on ${quote(identity.host)}`

const lockHeldError = ({ name, identity }: LockHolder, folder: string): GsdError =>
  new GsdError('LOCK_HELD', `another operation holds ${quote(folder)}: ${describeHolder(identity)}`, {
    hint: 'wait until it has ended, or end that process, and try again',
    details: { entry: name, holder: identity },
  })

const interruptedError = (): GsdError => new GsdError('INTERRUPTED', 'interrupted while waiting for the lock')

const lockError = (error: unknown, folder: string): unknown => {
  if (error instanceof GsdError && !error.code.startsWith('STATE_')) return error
  const cause = error instanceof GsdError ? error.cause : error
  const errno = errnoOf(cause)
  if (errno === undefined) return error
  const { text, hint } = errnoReason(errno)
  return new GsdError('LOCK_FAILED', `cannot lock ${quote(folder)}: ${text}`, {
    cause,
    details: { errno },
    ...(hint === undefined ? {} : { hint }),
  })
}
