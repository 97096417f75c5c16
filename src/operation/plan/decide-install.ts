import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { sameSource } from '../../spec/same-source.ts'
import type { Spec } from '../../spec/spec.ts'
import { changedSince, type ConsentAnswer } from '../../store/find-consent.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import { manifestCore } from '../../trust/manifest-core.ts'
import { runsBundleFiles } from '../../trust/surface.ts'
import { isAsRecorded, isEdited, refuseOddities, type Installed, type InstalledTree } from '../installed/installed.ts'
import { someOf } from '../installed/some-of.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { inTheWay } from './in-the-way.ts'

/** What decides how a capability is put in place. */
export interface InstallSituation {
  readonly installed: Installed
  /** The recorded spec, understood; null where there is none, or none that can be understood. */
  readonly spec: Spec | null
  readonly consent: ConsentAnswer
  readonly force: boolean
  readonly replace: boolean
  /** False where the scope may come from a repository, so that consent decides whether the capability acts. */
  readonly trusted: boolean
}

export interface InstallDecision {
  /** The bundle has to be put in place. */
  readonly place: boolean
  /** A folder stands there and makes room. */
  readonly replaces: boolean
  /** That folder holds edits of the user, and copies of them are to be kept. */
  readonly keep: boolean
  /** It is to come from another source from now on. */
  readonly moves: boolean
  /** Why consent is needed; null where it was given to this already. */
  readonly consent: ConsentReason | null
}

export type ConsentReason = 'new' | 'surfaces' | 'files' | 'not granted here'

/**
 * What is to be done with one capability, given what stands in its place (contract, `capability install`).
 * @throws STATE_OTHER_SOURCE, STATE_UNTRACKED, STATE_DRIFT
 */
export const decideInstall = (prepared: Prepared, situation: InstallSituation): InstallDecision => {
  const { installed, force } = situation
  const { entry, tree } = installed
  const place = !isInPlace(prepared, installed)
  const replaces = tree !== null && place
  if (replaces) refuseOddities(installed)
  if (entry === null) {
    if (replaces && !force && !isLeftover(prepared, tree)) throw untracked(installed.id)
    return {
      place,
      replaces,
      keep: replaces,
      moves: false,
      consent: situation.consent.kind === 'granted' ? null : 'new',
    }
  }
  const same = situation.spec !== null && sameSource(situation.spec, prepared.spec)
  // Of one source it may be another ref or range that is followed from now on, though it gives the same today.
  const moves = !same || (situation.replace && entry.spec !== prepared.recorded)
  if (moves && !situation.replace && entry.digest !== prepared.digest) throw otherSource(prepared, entry)
  const edited = replaces && (isEdited(installed) || foreignInTheWay(prepared, installed).length > 0)
  if (edited && !force) throw drifted(prepared, installed)
  const consent = consentReason(prepared, entry, situation)
  return { place, replaces, keep: edited, moves: moves && situation.replace, consent }
}

/** What a removal left there: files of a capability's own making, none of which is in the way. */
const isLeftover = ({ staged }: Prepared, { manifest, drift }: InstalledTree): boolean =>
  manifest === null && drift?.changed.length === 0 && inTheWay(drift.extra, staged.files).length === 0

/** The very files are there. What a capability made in its folder does not count. */
const isInPlace = (prepared: Prepared, installed: Installed): boolean => {
  const { entry, tree } = installed
  if (tree === null || tree.odd.length + tree.dull.length > 0) return false
  return tree.digest === prepared.digest || (entry?.digest === prepared.digest && isAsRecorded(installed))
}

const otherSource = (prepared: Prepared, entry: LedgerEntry): GsdError => {
  const { id } = prepared.manifest
  return new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(id)} is installed from ${quote(entry.spec)}, not from ${quote(prepared.recorded)}`,
    {
      hint: 'to take it from there from now on, add --replace',
      details: { id, installed: entry.spec, asked: prepared.recorded },
    },
  )
}

/**
 * An update asks again when what runs is something else, or when any file but Markdown changed next to files that run
 * (security page, "Disclosure and consent").
 */
const consentReason = (
  prepared: Prepared,
  entry: LedgerEntry,
  { consent, trusted }: InstallSituation,
): ConsentReason | null => {
  if (consent.kind === 'granted' || (trusted && entry.digest === prepared.digest)) return null
  if (consent.kind !== 'changed') return 'not granted here'
  if (consent.record.surfaces !== prepared.signature) return 'surfaces'
  const sameManifest = consent.record.core === manifestCore(prepared.manifest)
  const code = changedSince(consent.record, prepared.staged.files).filter((path) => !isProse(path, sameManifest))
  return runsBundleFiles(prepared.surfaces) && code.length > 0 ? 'files' : null
}

/** Of a manifest only what describes the capability is prose: a script may read anything else of it. */
const isProse = (path: string, sameManifest: boolean): boolean =>
  /\.(?:md|markdown)$/i.test(path) || (sameManifest && path === 'capability.json')

const untracked = (id: string): GsdError =>
  new GsdError(
    'STATE_UNTRACKED',
    `there is a folder ${quote(`.gsd/capabilities/${id}`)} that no ledger entry accounts for`,
    { hint: 'move it away, or add --force to replace it and keep a copy', details: { id } },
  )

/** Files that were not installed, made by the capability or put there by hand, and lie where new ones have to go. */
const foreignInTheWay = ({ staged }: Prepared, { tree }: Installed) => inTheWay(tree?.drift?.extra ?? [], staged.files)

const drifted = (prepared: Prepared, installed: Installed): GsdError => {
  const { id, tree } = installed
  const { changed = [], missing = [] } = tree?.drift ?? {}
  const foreign = foreignInTheWay(prepared, installed)
  const names = [...changed.map(({ path }) => path), ...missing, ...foreign.map(({ path }) => path)]
  const shown = names.length === 0 ? '' : `: ${someOf(names.map(quote))}`
  return new GsdError('STATE_DRIFT', `files of the installed ${quote(id)} were changed by hand${shown}`, {
    hint: `--force replaces them and keeps a copy; gsd capability verify ${id} shows all`,
    details: { id, files: names },
  })
}
