import { dirname, join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder } from '../../store/folders.ts'
import { isThere } from '../../store/is-there.ts'
import type { Change } from '../../store/journal-entry.ts'
import { syncPath } from '../../store/replace.ts'
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

/**
 * A bundle or receipt is put in place, replaced or taken away by renames. Whether it happened is seen from the staged one:
 * it is gone from there exactly when it is in place, because nobody sweeps the staging folder while a journal names it.
 */
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
    isDone: () => {
      const { disk, target, staged } = swap
      return staged === null ? !isThere(disk, target) : !isThere(disk, staged) && isThere(disk, target)
    },
    dropTemporaries: () => undefined,
  }
}

/** The folders are made beforehand, see `layGround`. */
const prepareSwap = ({ places }: Scene, swap: Swap, change: SwapChange): PreparedStep => {
  const { disk, target, staged, trash } = swap
  if (!places.trusted && isLink(disk, target)) throw linked(target)
  // A receipt is derived, and one without its bundle is in nobody's way.
  const makesRoom = change.replaces || change.target.startsWith('receipts/')
  if (!makesRoom && isThere(disk, target)) throw appeared(target)
  if (staged !== null && !isThere(disk, staged)) throw vanished(staged)
  return {
    sync: staged === null ? [] : walkTree(disk, staged),
    folders: [dirname(target), ...(isThere(disk, target) ? [dirname(trash)] : [])],
    commit: () => {
      if (isThere(disk, target)) {
        if (!makesRoom) throw appeared(target)
        move(disk, target, trash)
      }
      if (staged !== null) move(disk, staged, target)
    },
    discard: () => undefined,
  }
}

const undoSwap = ({ disk, target, staged, trash }: Swap, { replaces }: SwapChange): void => {
  const old = isThere(disk, trash)
  // Somebody may have emptied the staging folder by hand. What stood there before is still there then, not the new one.
  const moved = staged !== null && !isThere(disk, staged) && isThere(disk, target) && (old || !replaces)
  if (moved) {
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
