import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { errnoReason } from '../platform/disk-error.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import type { ProcessIdentity } from '../platform/identity.ts'
import { quote } from '../redact.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { createLockEntry, newEntryName, type HeldLockEntry } from './lock-entry.ts'
import { openLockFolder, type LockHolder } from './lock-folder.ts'

export interface LockOptions {
  /** How long to wait for one live holder, in milliseconds. Default 30,000; 0: do not wait. */
  readonly waitMs?: number
}

/**
 * Runs `fn` while no other operation changes the scope. Holds the lock of the home, and for a project that of the project
 * too (security page, "Operations"). Must not be nested.
 * @throws LOCK_HELD when a live holder keeps it for longer than the wait, LOCK_FAILED, INTERRUPTED
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
 * A process that sees no other entry creates its own and checks again. If it is still alone, it holds the lock. Otherwise
 * the smallest name keeps its entry and waits, and the others remove theirs; so two processes never both hold the lock.
 */
const acquire = async (context: Context, folder: string, wait: number): Promise<() => void> => {
  const { disk, identity } = context
  const name = newEntryName(identity, context.now())
  const entries = openLockFolder(disk, folder, identity, name)
  const waitFor = createWait(context, folder, wait)
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
      await waitFor(others)
    }
    entries.removeDeadEntries()
    return mine.leave
  } catch (error) {
    mine.leave()
    throw lockError(error, folder)
  }
}

/** How often a live process touches its entry, in milliseconds; far below the limit for silence. */
const HEARTBEAT_MS = 2_000

/**
 * The entry of this process. `leave` also removes the folders that were created for it, and empty private folders of a
 * project that has nothing stored any more.
 */
const ownEntry = ({ disk, identity, user }: Context, folder: string, name: string) => {
  const folders = new Set<string>()
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
      for (const path of mine.createdFolders) folders.add(path)
      heartbeat = setInterval(() => ignoreErrors(mine.touch), HEARTBEAT_MS)
      heartbeat.unref()
    },
    withdraw,
    /** An entry that cannot be removed is dead with this process, and the next process removes it. */
    leave: () => {
      ignoreErrors(withdraw)
      for (const path of [folder, ...ancestorFolders(folder, user.gsd)]) folders.add(path)
      removeEmptyFolders(disk, [...folders].sort())
    },
  }
}

/** The folders between a folder and one of its ancestors, outermost first. */
const ancestorFolders = (folder: string, below: string): string[] => {
  const above = dirname(folder)
  return above.startsWith(`${below}/`) ? [...ancestorFolders(above, below), above] : []
}

const ignoreErrors = (call: () => void): void => {
  try {
    call()
  } catch {
    // Another process removes or ignores what is left.
  }
}

/** A longer wait is reported, in milliseconds. */
const NOTICE_AFTER_MS = 250
const MIN_DELAY_MS = 5
const MAX_DELAY_MS = 60

/**
 * Sleeps between two checks. The wait is counted for each other process from when it was first seen, so a queue that moves
 * does not time out. Of two seen at the same time the larger name is the holder: only the smallest waits.
 */
const createWait = (
  context: Context,
  folder: string,
  wait: number,
): ((others: readonly LockHolder[]) => Promise<void>) => {
  let since = new Map<string, number>()
  let delay = MIN_DELAY_MS
  let isReported = false
  return async (others) => {
    const now = performance.now()
    since = new Map(others.map(({ name }) => [name, since.get(name) ?? now]))
    const holder = others.reduce((a, b) => ((since.get(b.name) ?? now) <= (since.get(a.name) ?? now) ? b : a))
    const waited = now - (since.get(holder.name) ?? now)
    if (waited >= wait) throw lockHeldError(holder, folder)
    if (waited > NOTICE_AFTER_MS && !isReported) {
      isReported = true
      context.report({
        kind: 'notice',
        text: `waiting for another operation to end: ${describeHolder(holder.identity)}`,
      })
    }
    delay = Math.min(delay * 1.5, MAX_DELAY_MS)
    await sleep(delay * (0.5 + Math.random() / 2), undefined, { signal: context.signal }).catch(() => {
      throw interruptedError()
    })
  }
}

const describeHolder = (identity: ProcessIdentity | null): string =>
  identity === null ? 'an unknown process' : `process ${identity.pid} on ${quote(identity.host)}`

const lockHeldError = ({ name, identity }: LockHolder, folder: string): GsdError =>
  new GsdError('LOCK_HELD', `another operation holds ${quote(folder)}: ${describeHolder(identity)}`, {
    hint: 'wait until that process ends, or end it, then try again',
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
