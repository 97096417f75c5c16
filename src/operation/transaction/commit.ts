import { dirname, join } from 'node:path'
import type { StagedBundle } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder } from '../../store/folders.ts'
import type { Change } from '../../store/journal-entry.ts'
import { withLock } from '../../store/lock.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { writeAll } from '../../store/write-all.ts'
import { runChanges } from './apply.ts'
import { moveBundle } from './move-bundle.ts'
import { newOperation } from './operation-name.ts'
import { recoverScope } from './recover-first.ts'
import { makeStaging } from './staging.ts'

/** What an operation is going to do, with what it brings. Targets are relative to the operation's staging folder. */
export interface Undertaking<Plan extends { readonly changes: readonly Change[] }> {
  /** For the journal and for messages: `install x`. */
  readonly command: string
  /** Decides anew under the lock, on what is there then. */
  readonly plan: () => Plan | Promise<Plan>
  readonly brings: (plan: Plan) => Brought
}

export interface Brought {
  /** Bundles that were unpacked elsewhere, moved here. */
  readonly bundles?: readonly { readonly staged: StagedBundle; readonly to: string }[]
  readonly texts?: readonly { readonly text: string; readonly to: string }[]
  /** Files of the user's, which outlive what stands there. */
  readonly copies?: readonly StagedCopy[]
}

/** A file that is taken into the operation's staging folder before the operation begins. */
export interface StagedCopy {
  /** Absolute. */
  readonly from: string
  /** Relative to the staging folder. */
  readonly to: string
}

/**
 * Takes the lock, mends what an earlier operation left, decides, and carries the decision out, all of it or nothing.
 * Returns the plan that was carried out.
 * @throws LOCK_*, STATE_*, HOST_*, INTERRUPTED and whatever `plan` throws
 */
export const commit = <Plan extends { readonly changes: readonly Change[] }>(
  context: Context,
  places: ScopePlaces,
  { command, plan, brings }: Undertaking<Plan>,
): Promise<Plan> =>
  withLock(context, places, async () => {
    await recoverScope(context, places)
    const decided = await plan()
    if (decided.changes.length === 0) return decided
    const operation = newOperation(context)
    const staging = makeStaging(context, places, operation)
    try {
      fill(context, staging.dir, brings(decided))
      const { scope, realRoot: root } = places
      await runChanges(context, places, { schema: 1, operation, command, scope, root, changes: decided.changes })
    } finally {
      // Where a journal stays, so does what is staged: it tells how far the operation came.
      staging.discard()
    }
    return decided
  })

const fill = (context: Context, dir: string, { bundles = [], texts = [], copies = [] }: Brought): void => {
  const { disk } = context
  const placeOf = (to: string): string => {
    const path = join(dir, to)
    ensureFolder(disk, dirname(path))
    return path
  }
  for (const { staged, to } of bundles) moveBundle(disk, staged, placeOf(to))
  for (const { text, to } of texts) writeNew(disk, placeOf(to), Buffer.from(text), 0o644)
  for (const { from, to } of copies) keepFile(disk, from, placeOf(to))
}

const writeNew = (disk: Disk, path: string, bytes: Uint8Array, mode: number): void =>
  onDisk('write', path, () => {
    const fd = disk.openSync(path, 'wx', mode)
    try {
      writeAll(disk, fd, bytes)
    } finally {
      disk.closeSync(fd)
    }
  })

/** As a second name of the very file: what a running capability still writes into it is not lost, and it keeps its mode. */
const keepFile = (disk: Disk, from: string, to: string): void => {
  try {
    disk.linkSync(from, to)
  } catch {
    copyFile(disk, from, to)
  }
}

/** Where there are no second names: another file system, or one that does not have them. */
const copyFile = (disk: Disk, from: string, to: string): void =>
  onDisk('copy', from, () => {
    const { mode } = disk.lstatSync(from)
    writeNew(disk, to, disk.readFileSync(from), 0o600)
    disk.chmodSync(to, mode & 0o7777)
  })
