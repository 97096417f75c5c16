import { dirname, join } from 'node:path'
import type { StagedBundle } from '../bundle/bundle.ts'
import type { Context } from '../context.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { writeAll } from '../platform/file-io.ts'
import { ensureFolder } from '../platform/folders.ts'
import type { Change } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { applyChanges } from './apply-changes.ts'
import { withLock } from './lock.ts'
import { moveBundle } from './move-bundle.ts'
import { newOperationName } from './operation-context.ts'
import { recoverScope } from './recover-scopes.ts'
import { createStaging } from './staging.ts'

/** What an operation is going to do, with what it brings. Targets are relative to the operation's staging folder. */
export interface Transaction<Plan extends { readonly changes: readonly Change[] }> {
  /** For the journal and for messages: `install x`. */
  readonly command: string
  /** Decides anew under the lock, on what is there then. */
  readonly plan: () => Plan | Promise<Plan>
  readonly inputs: (plan: Plan) => TransactionInputs
}

export interface TransactionInputs {
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
export const runTransaction = <Plan extends { readonly changes: readonly Change[] }>(
  context: Context,
  paths: ScopePaths,
  { command, plan, inputs }: Transaction<Plan>,
): Promise<Plan> =>
  withLock(context, paths, async () => {
    await recoverScope(context, paths)
    const decided = await plan()
    if (decided.changes.length === 0) return decided
    const operation = newOperationName(context)
    const staging = createStaging(context, paths, operation)
    try {
      fillStaging(context, staging.dir, inputs(decided))
      const { scope, realRoot: root } = paths
      await applyChanges(context, paths, { schema: 1, operation, command, scope, root, changes: decided.changes })
    } finally {
      // Where a journal stays, so does what is staged: it tells how far the operation came.
      staging.discard()
    }
    return decided
  })

const fillStaging = (
  context: Context,
  dir: string,
  { bundles = [], texts = [], copies = [] }: TransactionInputs,
): void => {
  const { disk } = context
  const placeOf = (to: string): string => {
    const path = join(dir, to)
    ensureFolder(disk, dirname(path))
    return path
  }
  for (const { staged, to } of bundles) moveBundle(disk, staged, placeOf(to))
  for (const { text, to } of texts) writeNew(disk, placeOf(to), Buffer.from(text), 0o644)
  for (const { from, to } of copies) linkOrCopy(disk, from, placeOf(to))
}

const writeNew = (disk: Disk, path: string, bytes: Uint8Array, mode: number): void =>
  withDiskErrors('write', path, () => {
    const fd = disk.openSync(path, 'wx', mode)
    try {
      writeAll(disk, fd, bytes)
    } finally {
      disk.closeSync(fd)
    }
  })

/** As a second name of the very file: what a running capability still writes into it is not lost, and it keeps its mode. */
const linkOrCopy = (disk: Disk, from: string, to: string): void => {
  try {
    disk.linkSync(from, to)
  } catch {
    copyFile(disk, from, to)
  }
}

/** Where there are no second names: another file system, or one that does not have them. */
const copyFile = (disk: Disk, from: string, to: string): void =>
  withDiskErrors('copy', from, () => {
    const { mode } = disk.lstatSync(from)
    writeNew(disk, to, disk.readFileSync(from), 0o600)
    disk.chmodSync(to, mode & 0o7777)
  })
