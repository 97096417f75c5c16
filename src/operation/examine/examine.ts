import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { World } from '../../overlay/world.ts'
import { quote } from '../../redact.ts'
import { shellWord } from '../../shell-word.ts'
import { grantKey, readConsent } from '../../store/consent.ts'
import { readHosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import { readJournal } from '../../store/journal.ts'
import { readLedger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readState } from '../../store/state.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { movedLanes } from '../consent/lane-hosts.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import { readInstalled } from '../installed/installed.ts'
import { readScopeState, type ScopeState } from '../installed/scope-state.ts'
import { inspectJournal } from '../transaction/inspect-journal.ts'
import { examineInstalled } from './examine-installed.ts'
import { finding, type Finding } from './finding.ts'
import { leftoversOf } from './leftovers.ts'
import { looked } from './looked.ts'
import { strayReceipts, strayWirings } from './strays.ts'
import { wiredWarning } from './warn-wired.ts'

/** Everything that is wrong in one scope. Reads only. */
export const examine = (context: Context, places: ScopePlaces, world: World): readonly Finding[] => {
  const files = unreadableFiles(context, places)
  const left = [interrupted, leftovers].flatMap((part) => looked(places, () => part(context, places)))
  if (files.length > 0) return [...files, ...left]
  return [...left, ...looked(places, () => ofCapabilities(context, places, world))]
}

const ofCapabilities = (context: Context, places: ScopePlaces, world: World): readonly Finding[] => {
  const state = readScopeState(context, places)
  return [
    ...[...state.ledger.capabilities.keys()].flatMap((id) => examineInstalled(context, places, state, id)),
    ...looked(places, () => orphans(context, places, state, world)),
    ...[wirings, lanesMoved, receipts].flatMap((part) => looked(places, () => part(context, places, state))),
    ...looked(places, () => strangers(context, places)),
    ...unusable(places, world),
  ]
}

const wirings = (context: Context, places: ScopePlaces, state: ScopeState): readonly Finding[] =>
  strayWirings(context, places, state).map((stray) => ({
    ...wiredWarning(stray, places),
    code: 'STATE_DRIFT' as const,
    remedy: 'fix' as const,
  }))

const receipts = (context: Context, places: ScopePlaces, state: ScopeState): readonly Finding[] =>
  strayReceipts(context, places, state).map((name) =>
    finding(
      'fix',
      places,
      'STATE_DRIFT',
      `the receipt ${quote(name)} belongs to nothing that is installed`,
      'gsd capability doctor --fix',
    ),
  )

/** A journal that nobody finished or undid, although every command tries to. */
const interrupted = (context: Context, places: ScopePlaces): Finding[] => {
  const found = inspectJournal(context, places)
  if (found === null || found.code !== 'STATE_INTERRUPTED') return []
  return [{ ...found, remedy: found.severity === 'error' ? 'hand' : 'fix' }]
}

const leftovers = (context: Context, places: ScopePlaces): Finding[] =>
  leftoversOf(context, places, { locked: false }).map((path) =>
    finding(
      'fix',
      places,
      'STATE_INTERRUPTED',
      `${quote(path)} was left by an operation that is gone`,
      'gsd capability doctor --fix',
    ),
  )

const unreadableFiles = (context: Context, places: ScopePlaces): Finding[] => {
  const { disk, user } = context
  const files = [
    readLedger(disk, places),
    readHosts(disk, places),
    readState(disk, places),
    readConsent(disk, user),
    readJournal(disk, places),
  ]
  return files.flatMap((file) =>
    file.state === 'unreadable' ? [{ ...file.diagnostic, scope: places.scope, remedy: 'hand' as const }] : [],
  )
}

/** Lanes that would send plans elsewhere than the user agreed to. What cannot be read is somebody else's finding. */
const lanesMoved = (context: Context, places: ScopePlaces, state: ScopeState): Finding[] =>
  [...state.ledger.capabilities.keys()].flatMap((id) => {
    const record = state.consents.grants.get(grantKey(places, id))
    if (record?.hosts === undefined) return []
    try {
      const installed = readInstalled(context, places, state, id)
      const manifest = manifestOf(installed)
      const surfaces = surfacesOf(manifest, installed.tree?.files ?? [])
      return movedLanes(context, manifest, surfaces, record).map((each) => ({
        ...each,
        scope: places.scope,
        remedy: 'hand' as const,
      }))
    } catch (error) {
      if (error instanceof GsdError) return []
      throw error
    }
  })

const orphans = (context: Context, places: ScopePlaces, state: ScopeState, { rows }: World): Finding[] =>
  rows
    .filter((row) => row.scope === places.scope && row.status === 'orphan')
    .map(({ id }) => {
      const [odd] = readInstalled(context, places, state, id).tree?.odd ?? []
      const text = `${quote(id)} is loaded, and the ledger does not know it`
      if (odd === undefined)
        return finding('fix', places, 'OVERLAY_ORPHAN', text, 'gsd capability doctor --fix: adopts it', id)
      const hint = 'move that away, then gsd capability doctor --fix'
      return finding('hand', places, 'OVERLAY_ORPHAN', `${text}; it cannot be adopted: ${odd}`, hint, id)
    })

/** What is only read where the folder is a global root: a command that takes it for a project does not know what it says. */
const strangers = ({ disk, user }: Context, places: ScopePlaces): Finding[] =>
  places.trusted || places.gsd === user.gsd
    ? []
    : ['hosts.json', 'consent.json']
        .map((name) => join(places.gsd, name))
        .filter((file) => isThere(disk, file))
        .map((file) => ({
          ...finding(
            'hand',
            places,
            'STATE_UNTRACKED',
            `${quote(file)} is not read here: it belongs into a global root, and not into a project`,
            `if this folder is one, run gsd with GSD_HOME=${shellWord(places.realRoot)}; else delete it`,
          ),
          file,
        }))

/** What the loader had to skip, with its own words and remedy. */
const unusable = (places: ScopePlaces, { warnings }: World): Finding[] =>
  warnings
    .filter(
      ({ scope, severity, code }) =>
        scope === places.scope && severity !== 'info' && code !== 'OVERLAY_MISSING' && code !== 'OVERLAY_ORPHAN',
    )
    .map((warning) => ({ ...warning, remedy: 'hand' as const }))
