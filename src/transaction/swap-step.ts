import { dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { pathExists, syncPath } from '../platform/disk.ts'
import { ensureFolder } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import type { Change } from '../state/change.ts'
import { type OperationContext, stagingOf, trashOf } from './operation-context.ts'
import { refuseLinkedFolders } from './scope-folders.ts'
import type { PreparedStep, Step } from './step.ts'

export type SwapChange = Extract<Change, { kind: 'swap' }>

interface Swap {
  readonly disk: Disk
  /** The path in use. */
  readonly target: string
  /** The new file or folder; null when the target is only removed. */
  readonly staged: string | null
  /** Where the old one is moved. */
  readonly trash: string
}

/** Adds, replaces or removes a bundle or receipt by renaming. */
export const swapStep = (operationContext: OperationContext, change: SwapChange): Step => {
  const swap: Swap = {
    disk: operationContext.context.disk,
    target: join(operationContext.paths.gsd, change.target),
    staged: change.from === null ? null : join(stagingOf(operationContext), change.from),
    trash: join(trashOf(operationContext), change.target),
  }
  return {
    preflight: () => ({ formatting: [], modes: [] }),
    prepare: () => prepareSwap(operationContext, swap, change),
    undo: () => undoSwap(swap, change),
    isDone: () => isMoved(swap, change),
    removeTemporaries: () => undefined,
  }
}

/**
 * Whether the new one is in place, or the old one removed. A missing staged one alone proves nothing: it may be lost after a
 * power failure, or somebody emptied the staging folder, and the target is still the old one.
 */
const isMoved = ({ disk, target, staged, trash }: Swap, { replaces }: SwapChange): boolean => {
  if (staged === null) return !pathExists(disk, target)
  return !pathExists(disk, staged) && pathExists(disk, target) && (!replaces || pathExists(disk, trash))
}

/** The folders exist already, see `createOperationFolders`. */
const prepareSwap = ({ paths }: OperationContext, swap: Swap, change: SwapChange): PreparedStep => {
  const { disk, target, staged, trash } = swap
  if (!paths.trusted && isLink(disk, target)) throw linkedError(target)
  // A receipt is derived: one without its bundle may be replaced.
  const mayReplace = change.replaces || change.target.startsWith('receipts/')
  const checkTarget = (): boolean => {
    const isTaken = pathExists(disk, target)
    if (isTaken && !mayReplace) throw appearedError(target)
    if (!isTaken && change.replaces) throw vanishedError(target)
    return isTaken
  }
  const isTaken = checkTarget()
  if (staged !== null && !pathExists(disk, staged)) throw vanishedError(staged)
  return {
    sync: staged === null ? [] : listTree(disk, staged),
    folders: [dirname(target), ...(isTaken ? [dirname(trash)] : [])],
    commit: () => {
      refuseLinkedFolders(disk, paths)
      if (checkTarget()) move(disk, target, trash)
      if (staged !== null) move(disk, staged, target)
    },
    discard: () => undefined,
  }
}

const undoSwap = (swap: Swap, change: SwapChange): void => {
  const { disk, target, staged, trash } = swap
  const old = pathExists(disk, trash)
  const moved = isMoved(swap, change)
  if (moved && staged !== null) {
    ensureFolder(disk, dirname(staged))
    move(disk, target, staged)
  }
  if (old && pathExists(disk, target)) throw targetOccupiedError(target, trash)
  if (old) move(disk, trash, target)
  if (moved || old) syncPath(disk, dirname(target))
}

const move = (disk: Disk, from: string, to: string): void =>
  withDiskErrors('move', from, () => {
    disk.renameSync(from, to)
  })

const isLink = (disk: Disk, path: string): boolean => pathExists(disk, path) && disk.lstatSync(path).isSymbolicLink()

const linkedError = (target: string): GsdError =>
  new GsdError('STATE_LINKED', `${quote(target)} is a link, and links are not followed in a project`, {
    hint: 'remove the link and try again',
  })

const appearedError = (target: string): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(target)} appeared while this operation ran`, { hint: 'try again' })

const vanishedError = (staged: string): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(staged)} was removed while this operation ran`, { hint: 'try again' })

const targetOccupiedError = (target: string, trash: string): GsdError =>
  new GsdError(
    'STATE_CHANGED',
    `${quote(target)} was created by somebody else meanwhile; the previous one is in ${quote(trash)}`,
    {
      hint: `move ${quote(target)} away, then try again`,
    },
  )

/** A file, or a folder with everything in it except links: the paths to sync before it is renamed. */
export const listTree = (disk: Disk, path: string): string[] => {
  const stats = withDiskErrors('read', path, () => disk.lstatSync(path))
  if (!stats.isDirectory()) return stats.isFile() ? [path] : []
  const names = withDiskErrors('list', path, () => disk.readdirSync(path))
  return [...names.flatMap((name) => listTree(disk, join(path, name))), path]
}
