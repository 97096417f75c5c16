import { dirname } from 'node:path'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { diskError } from '../../store/disk-error.ts'
import { removeEmptyFolders } from '../../store/folders.ts'
import type { Journal } from '../../store/journal-entry.ts'
import { readJournal, writeJournal } from '../../store/journal.ts'
import { sameJson } from '../../store/json-text.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { unreadable } from '../../store/records.ts'
import { claim, claimsOf } from './claim.ts'
import { finish, undoAll } from './conclude.ts'
import { refuseLinkedFolders } from './confined.ts'
import { layGround, tidy, writeGitignore } from './ground.ts'
import { sceneOf, type Scene } from './scene.ts'
import type { PreparedStep, Step } from './step.ts'
import { ordered, stepsOf } from './steps.ts'
import { clear, sweepableOf } from './sweep.ts'

/**
 * Carries out a plan, all of it or nothing: journal → everything written beside → synced → one change after the other →
 * the ledger, which is the commit → journal and trash go (security page, "Operations"). The lock is held, and what an
 * earlier operation left is recovered. Staged bundles lie in `.staging/<operation>/`. Changes that change nothing are
 * left out; the order of kinds is always that of the page.
 * @throws STATE_*, HOST_*, INTERRUPTED. Then everything is as before; or, where even that failed, the journal stays, a
 * warning is reported, and the next command undoes it
 */
export const runChanges = async (context: Context, places: ScopePlaces, plan: Journal): Promise<void> => {
  const changes = plan.changes.filter((change) => change.kind !== 'record' || !sameJson(change.before, change.after))
  if (changes.length === 0) return
  try {
    refuseJournal(context, places)
    refuseLinkedFolders(context.disk, places)
    const release = claim(context, claimsOf(places.private), plan.operation, [])
    try {
      await runClaimed(context, places, { ...plan, changes: ordered(changes) })
    } finally {
      if (clear(context, { ...sweepableOf(places), staging: places.trash }, plan.operation)) release()
    }
  } catch (error) {
    throw diskError(error, 'write below', places.root)
  }
}

const runClaimed = async (context: Context, places: ScopePlaces, plan: Journal): Promise<void> => {
  const made = layGround(context, places, plan)
  const journal = begin(context, places, { ...plan, made })
  const scene = sceneOf(context, places, journal)
  const steps = stepsOf(scene, journal)
  try {
    // Before anything is put beside a file: the journal would not be found below a folder that is lost with the power.
    const parents = [...foldersOver(context, places), ...made.map((path) => dirname(path))]
    await context.disk.syncAll([...new Set(parents)])
    writeGitignore(context.disk, places, journal)
    await applySteps(context, steps)
  } catch (error) {
    giveUp(scene, journal, steps)
    throw error
  }
  warnUnlessDone(context, 'the operation is complete; what it replaced is taken away by the next command', () =>
    finish(scene, journal),
  )
}

/** Folders that hold the names on the way to the journal and to `.gsd`. Some may be new: lock, claim and staging make them. */
const foldersOver = ({ user }: Context, { journal, gsd }: ScopePlaces): readonly string[] => {
  const folders = [dirname(gsd)]
  for (let at = dirname(journal); liesIn(at, user.gsd); at = dirname(at)) folders.push(dirname(at))
  return folders
}

/** Completes the journal and writes it. From here on a stopped process is recovered from. */
const begin = (context: Context, places: ScopePlaces, plan: Journal): Journal => {
  const { disk } = context
  try {
    const foresight = stepsOf(sceneOf(context, places, plan), plan).map((step) => step.foresee())
    const spellings = foresight.flatMap((each) => each.spellings)
    const modes = foresight.flatMap((each) => each.modes)
    const journal = { ...plan, spellings, modes }
    writeJournal(disk, places, journal)
    return journal
  } catch (error) {
    const written = readJournal(disk, places)
    if (written.state === 'ok' && written.value.operation === plan.operation) disk.unlinkSync(places.journal)
    tidy(disk, places)
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

const giveUp = (scene: Scene, journal: Journal, steps: readonly Step[]): void =>
  warnUnlessDone(
    scene.context,
    'the operation failed and could not be undone yet; the next command finishes or undoes it',
    () => undoAll(scene, journal, steps),
  )

/** What fails here is mended by the next command; the answer of this one does not depend on it. */
const warnUnlessDone = (context: Context, text: string, work: () => void): void => {
  try {
    work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.report({ kind: 'warning', diagnostic: diagnostic('warning', 'STATE_INTERRUPTED', `${text}: ${reason}`) })
  }
}

/** One journal at a time: an older one is finished or undone first, or is not ours to touch. */
const refuseJournal = ({ disk }: Context, places: ScopePlaces): void => {
  const found = readJournal(disk, places)
  if (found.state === 'unreadable') throw unreadable(found.diagnostic)
  if (found.state === 'absent') return
  const { command, root } = found.value
  throw new GsdError(
    'STATE_INTERRUPTED',
    `an interrupted ${quote(command)} on ${quote(root)} waits in ${quote(places.journal)}`,
    {
      hint: 'run gsd capability doctor --fix',
    },
  )
}
