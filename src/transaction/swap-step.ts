import { dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { ensureFolder } from '../platform/folders.ts'
import { pathExists } from '../platform/path-exists.ts'
import { syncPath } from '../platform/sync-path.ts'
import { quote } from '../redact.ts'
import type { Change } from '../state/change.ts'
import { type OperationContext, stagingOf, trashOf } from './operation-context.ts'
import type { PreparedStep, Step } from './step.ts'

export type SwapChange = Extract<Change, { kind: 'swap' }>

interface Swap {
  readonly disk: Disk
  /** Where the thing stands for everybody to see. */
  readonly target: string
  /** Where the new one waits; null when there is none. */
  readonly staged: string | null
  /** Where the old one goes. */
  readonly trash: string
}

/** A bundle or receipt is put in place, replaced or taken away by renames. */
export const swapStep = (operationContext: OperationContext, change: SwapChange): Step => {
  const swap: Swap = {
    disk: operationContext.context.disk,
    target: join(operationContext.paths.gsd, change.target),
    staged: change.from === null ? null : join(stagingOf(operationContext), change.from),
    trash: join(trashOf(operationContext), change.target),
  }
  return {
    preflight: () => ({ spellings: [], modes: [] }),
    prepare: () => prepareSwap(operationContext, swap, change),
    undo: () => undoSwap(swap, change),
    isDone: () => isMoved(swap, change),
    removeTemporaries: () => undefined,
  }
}

/**
 * Whether the new one is in place, or the old one gone where there is no new one. That the staged one is not there is not
 * enough: it may be lost with the power, or somebody may have emptied the staging folder, and then the old one stands there.
 */
const isMoved = ({ disk, target, staged, trash }: Swap, { replaces }: SwapChange): boolean => {
  if (staged === null) return !pathExists(disk, target)
  return !pathExists(disk, staged) && pathExists(disk, target) && (!replaces || pathExists(disk, trash))
}

/** The folders are made beforehand, see `layGround`. */
const prepareSwap = ({ paths }: OperationContext, swap: Swap, change: SwapChange): PreparedStep => {
  const { disk, target, staged, trash } = swap
  if (!paths.trusted && isLink(disk, target)) throw linkedError(target)
  // A receipt is derived, and one without its bundle is in nobody's way.
  const makesRoom = change.replaces || change.target.startsWith('receipts/')
  const stat = (): boolean => {
    const isTaken = pathExists(disk, target)
    if (isTaken && !makesRoom) throw appearedError(target)
    if (!isTaken && change.replaces) throw vanishedError(target)
    return isTaken
  }
  const isTaken = stat()
  if (staged !== null && !pathExists(disk, staged)) throw vanishedError(staged)
  return {
    sync: staged === null ? [] : listTree(disk, staged),
    folders: [dirname(target), ...(isTaken ? [dirname(trash)] : [])],
    commit: () => {
      if (stat()) move(disk, target, trash)
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
  new GsdError('STATE_CHANGED', `${quote(staged)} vanished while this operation ran`, { hint: 'try again' })

const targetOccupiedError = (target: string, trash: string): GsdError =>
  new GsdError(
    'STATE_CHANGED',
    `${quote(target)} was put there since; what stood there before waits in ${quote(trash)}`,
    {
      hint: 'move the newer one away and try again',
    },
  )

/** A file, or a folder with everything in it, links left out: the paths to sync before it is put in place. */
export const listTree = (disk: Disk, path: string): string[] => {
  const stats = withDiskErrors('look at', path, () => disk.lstatSync(path))
  if (!stats.isDirectory()) return stats.isFile() ? [path] : []
  const names = withDiskErrors('list', path, () => disk.readdirSync(path))
  return [...names.flatMap((name) => listTree(disk, join(path, name))), path]
}
