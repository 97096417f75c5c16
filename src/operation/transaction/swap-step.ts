import { dirname, join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder } from '../../store/folders.ts'
import { isThere } from '../../store/is-there.ts'
import type { Change } from '../../store/journal-entry.ts'
import { syncPath } from '../../store/sync-path.ts'
import { stagingOf, trashOf, type Scene } from './scene.ts'
import type { PreparedStep, Step } from './step.ts'
import { walkTree } from './walk-tree.ts'

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
export const swapStep = (scene: Scene, change: SwapChange): Step => {
  const swap: Swap = {
    disk: scene.context.disk,
    target: join(scene.places.gsd, change.target),
    staged: change.from === null ? null : join(stagingOf(scene), change.from),
    trash: join(trashOf(scene), change.target),
  }
  return {
    foresee: () => ({ spellings: [], modes: [] }),
    prepare: () => prepareSwap(scene, swap, change),
    undo: () => undoSwap(swap, change),
    isDone: () => isMoved(swap, change),
    dropTemporaries: () => undefined,
  }
}

/**
 * Whether the new one is in place, or the old one gone where there is no new one. That the staged one is not there is not
 * enough: it may be lost with the power, or somebody may have emptied the staging folder, and then the old one stands there.
 */
const isMoved = ({ disk, target, staged, trash }: Swap, { replaces }: SwapChange): boolean => {
  if (staged === null) return !isThere(disk, target)
  return !isThere(disk, staged) && isThere(disk, target) && (!replaces || isThere(disk, trash))
}

/** The folders are made beforehand, see `layGround`. */
const prepareSwap = ({ places }: Scene, swap: Swap, change: SwapChange): PreparedStep => {
  const { disk, target, staged, trash } = swap
  if (!places.trusted && isLink(disk, target)) throw linked(target)
  // A receipt is derived, and one without its bundle is in nobody's way.
  const makesRoom = change.replaces || change.target.startsWith('receipts/')
  const look = (): boolean => {
    const isTaken = isThere(disk, target)
    if (isTaken && !makesRoom) throw appeared(target)
    if (!isTaken && change.replaces) throw vanished(target)
    return isTaken
  }
  const isTaken = look()
  if (staged !== null && !isThere(disk, staged)) throw vanished(staged)
  return {
    sync: staged === null ? [] : walkTree(disk, staged),
    folders: [dirname(target), ...(isTaken ? [dirname(trash)] : [])],
    commit: () => {
      if (look()) move(disk, target, trash)
      if (staged !== null) move(disk, staged, target)
    },
    discard: () => undefined,
  }
}

const undoSwap = (swap: Swap, change: SwapChange): void => {
  const { disk, target, staged, trash } = swap
  const old = isThere(disk, trash)
  const moved = isMoved(swap, change)
  if (moved && staged !== null) {
    ensureFolder(disk, dirname(staged))
    move(disk, target, staged)
  }
  if (old && isThere(disk, target)) throw inTheWay(target, trash)
  if (old) move(disk, trash, target)
  if (moved || old) syncPath(disk, dirname(target))
}

const move = (disk: Disk, from: string, to: string): void =>
  onDisk('move', from, () => {
    disk.renameSync(from, to)
  })

const isLink = (disk: Disk, path: string): boolean => isThere(disk, path) && disk.lstatSync(path).isSymbolicLink()

const linked = (target: string): GsdError =>
  new GsdError('STATE_LINKED', `${quote(target)} is a link, and links are not followed in a project`, {
    hint: 'remove the link and try again',
  })

const appeared = (target: string): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(target)} appeared while this operation ran`, { hint: 'try again' })

const vanished = (staged: string): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(staged)} vanished while this operation ran`, { hint: 'try again' })

const inTheWay = (target: string, trash: string): GsdError =>
  new GsdError(
    'STATE_CHANGED',
    `${quote(target)} was put there since; what stood there before waits in ${quote(trash)}`,
    {
      hint: 'move the newer one away and try again',
    },
  )
