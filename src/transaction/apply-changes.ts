import { dirname } from 'node:path'
import type { Context } from '../context.ts'
import { diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { diskError } from '../platform/disk-error.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import { isInside } from '../platform/real-path.ts'
import { quote } from '../redact.ts'
import type { Journal } from '../state/change.ts'
import { sameJson } from '../state/json-text.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { unreadableError } from '../state/stores.ts'
import { buildSteps, orderChanges } from './build-steps.ts'
import { cleanUpFoldersOf, cleanUpOperation } from './clean-up.ts'
import { finishOperation, undoOperation } from './finish-or-undo.ts'
import { readJournal, writeJournal } from './journal.ts'
import { type OperationContext, operationContextOf } from './operation-context.ts'
import { createOwnerFile, ownerFilesFolder } from './owner-file.ts'
import {
  createOperationFolders,
  refuseLinkedFolders,
  removeEmptyScopeFolders,
  writeGitignore,
} from './scope-folders.ts'
import type { PreparedStep, Step } from './step.ts'

/**
 * Applies a plan, all of it or nothing: write the journal → write temporary files → sync them → commit one step after the
 * other → commit the ledger → remove journal and trash (security page, "Operations"). The lock is held, earlier operations
 * are recovered, and new bundles are in `.staging/<operation>/`. Changes without effect are left out.
 * @throws STATE_*, HOST_*, INTERRUPTED. Then everything is as before. If the undo fails too, the journal stays, a warning is
 * reported, and the next command undoes the operation
 */
export const applyChanges = async (context: Context, paths: ScopePaths, plan: Journal): Promise<void> => {
  const changes = plan.changes.filter((change) => change.kind !== 'record' || !sameJson(change.before, change.after))
  if (changes.length === 0) return
  try {
    refusePendingJournal(context, paths)
    refuseLinkedFolders(context.disk, paths)
    const release = createOwnerFile(context, ownerFilesFolder(paths.private), plan.operation, [])
    try {
      await applyOwned(context, paths, { ...plan, changes: orderChanges(changes) })
    } finally {
      if (cleanUpOperation(context, { ...cleanUpFoldersOf(paths), staging: paths.trash }, plan.operation)) release()
    }
  } catch (error) {
    throw diskError(error, 'write below', paths.root)
  }
}

const applyOwned = async (context: Context, paths: ScopePaths, plan: Journal): Promise<void> => {
  const made = createOperationFolders(context, paths, plan)
  const journal = startJournal(context, paths, { ...plan, made })
  const operationContext = operationContextOf(context, paths, journal)
  const steps = buildSteps(operationContext, journal)
  try {
    // Sync first: after a power failure a journal below a lost folder would not be found.
    const parents = [...ancestorFolders(context, paths), ...made.map((path) => dirname(path))]
    await context.disk.syncAll([...new Set(parents)])
    writeGitignore(context.disk, paths, journal)
    await applySteps(context, steps)
  } catch (error) {
    undoOrWarn(operationContext, journal, steps)
    throw error
  }
  warnOnFailure(context, 'the operation is complete; the next command removes what it replaced', () =>
    finishOperation(operationContext, journal),
  )
}

/** The folders above the journal and `.gsd`. Some may be new: lock, owner file and staging create them. */
const ancestorFolders = ({ user }: Context, { journal, gsd }: ScopePaths): readonly string[] => {
  const folders = [dirname(gsd)]
  for (let at = dirname(journal); isInside(at, user.gsd); at = dirname(at)) folders.push(dirname(at))
  return folders
}

/** Completes the journal and writes it. From then on a stopped operation can be recovered. */
const startJournal = (context: Context, paths: ScopePaths, plan: Journal): Journal => {
  const { disk } = context
  try {
    const preflights = buildSteps(operationContextOf(context, paths, plan), plan).map((step) => step.preflight())
    const formatting = preflights.flatMap((each) => each.formatting)
    const modes = preflights.flatMap((each) => each.modes)
    const journal = { ...plan, formatting, modes }
    writeJournal(disk, paths, journal)
    return journal
  } catch (error) {
    const written = readJournal(disk, paths)
    if (written.state === 'ok' && written.value.operation === plan.operation) disk.unlinkSync(paths.journal)
    removeEmptyScopeFolders(disk, paths)
    removeEmptyFolders(disk, plan.made ?? [])
    throw error
  }
}

const applySteps = async (context: Context, steps: readonly Step[]): Promise<void> => {
  const { disk } = context
  const sync = (paths: readonly string[]): Promise<void> => disk.syncAll([...new Set(paths)])
  const prepared: PreparedStep[] = []
  try {
    for (const step of steps) prepared.push(step.prepare())
    await sync(prepared.flatMap((step) => step.sync))
    const early = prepared.slice(0, -1)
    for (const step of early) {
      refuseInterrupted(context)
      step.commit()
    }
    await sync(early.flatMap((step) => step.folders))
    refuseInterrupted(context)
    const last = prepared.at(-1)
    last?.commit()
    await sync(last?.folders ?? [])
  } catch (error) {
    for (const step of prepared) step.discard()
    throw error
  }
}

const refuseInterrupted = ({ signal }: Context): void => {
  if (signal.aborted) throw new GsdError('INTERRUPTED', 'interrupted; everything is as before')
}

const undoOrWarn = (operationContext: OperationContext, journal: Journal, steps: readonly Step[]): void =>
  warnOnFailure(
    operationContext.context,
    'the operation failed and could not be undone; the next command finishes or undoes it',
    () => undoOperation(operationContext, journal, steps),
  )

/** The next command repairs what fails here; the result of this one does not depend on it. */
const warnOnFailure = (context: Context, text: string, work: () => void): void => {
  try {
    work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.report({ kind: 'warning', diagnostic: diagnostic('warning', 'STATE_INTERRUPTED', `${text}: ${reason}`) })
  }
}

/** There is one journal at a time: an older one has to be recovered first. */
const refusePendingJournal = ({ disk }: Context, paths: ScopePaths): void => {
  const found = readJournal(disk, paths)
  if (found.state === 'unreadable') throw unreadableError(found.diagnostic)
  if (found.state === 'absent') return
  const { command, root } = found.value
  throw new GsdError(
    'STATE_INTERRUPTED',
    `an interrupted ${quote(command)} in ${quote(root)} has to be recovered first; its journal is ${quote(paths.journal)}`,
    {
      hint: 'run gsd capability doctor --fix',
    },
  )
}
