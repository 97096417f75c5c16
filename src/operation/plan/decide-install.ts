import { GsdError } from '../../errors.ts'
import { abbreviateList, quote } from '../../redact.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import { isSameSource } from '../../spec/same-source.ts'
import type { Spec } from '../../spec/spec.ts'
import { changedSince, type ConsentMatch } from '../../state/find-consent.ts'
import type { ConsentRecord } from '../../state/grants.ts'
import {
  hasEdits,
  type InstalledCapability,
  type InstalledTree,
  matchesLedger,
  refuseUnexpectedFiles,
} from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { changesThatCanRun, type ProseFile } from '../../trust/prose.ts'
import { manifestFingerprint } from '../../trust/signature.ts'
import { conflictingFiles } from './preserved-files.ts'

/** What decides how a capability is installed. */
export interface InstallSituation {
  readonly installed: InstalledCapability
  /** The recorded spec; null if there is none or it is invalid. */
  readonly spec: Spec | null
  readonly consent: ConsentMatch
  readonly force: boolean
  readonly replace: boolean
  /** Policy asks for consent to changed prose too. */
  readonly proseConsent: boolean
}

export interface InstallDecision {
  /** The bundle has to be placed. */
  readonly placeBundle: boolean
  /** An existing folder is replaced. */
  readonly replaces: boolean
  /** That folder has edits of the user; copies are kept. */
  readonly preserveEdits: boolean
  /** It switches to another source. */
  readonly changeSource: boolean
  /** Why consent is needed; null if it was given already. */
  readonly consent: ConsentReason | null
}

export type ConsentReason = 'new' | 'surfaces' | 'files' | 'prose' | 'not granted here'

/**
 * Decides what to do with one capability, given what is installed (contract, `capability install`).
 * @throws STATE_OTHER_SOURCE, STATE_UNTRACKED, STATE_DRIFT
 */
export const decideInstall = (prepared: Prepared, situation: InstallSituation): InstallDecision => {
  const { installed, force } = situation
  const { entry, tree } = installed
  const placeBundle = !isInPlace(prepared, installed)
  const replaces = tree !== null && placeBundle
  if (replaces) refuseUnexpectedFiles(installed)
  if (entry === null) {
    if (replaces && !force && !isOnlyLeftover(prepared, tree)) throw untrackedError(installed.id)
    return {
      placeBundle,
      replaces,
      preserveEdits: replaces,
      changeSource: false,
      consent: situation.consent.kind === 'granted' ? null : 'new',
    }
  }
  const same = situation.spec !== null && isSameSource(situation.spec, prepared.spec)
  // The same source with another ref or range, even if both give the same content today.
  const moves = !same || (situation.replace && entry.spec !== prepared.recordedSpec)
  if (moves && !situation.replace && entry.digest !== prepared.digest) throw otherSourceError(prepared, entry)
  const edited = replaces && (hasEdits(installed) || conflictingExtras(prepared, installed).length > 0)
  if (edited && !force) throw driftError(prepared, installed)
  const consent = consentReason(prepared, situation)
  return { placeBundle, replaces, preserveEdits: edited, changeSource: moves && situation.replace, consent }
}

/** What a removal left: files the capability created, none of which is in the way. */
const isOnlyLeftover = ({ staged }: Prepared, { manifest, drift }: InstalledTree): boolean =>
  manifest === null && drift?.changed.length === 0 && conflictingFiles(drift.extra, staged.files).length === 0

/** The same files are installed. Files the capability created do not count. */
const isInPlace = (prepared: Prepared, installed: InstalledCapability): boolean => {
  const { entry, tree } = installed
  if (tree === null || tree.unexpected.length + tree.notExecutable.length > 0) return false
  return tree.digest === prepared.digest || (entry?.digest === prepared.digest && matchesLedger(installed))
}

const otherSourceError = (prepared: Prepared, entry: LedgerEntry): GsdError => {
  const { id } = prepared.manifest
  return new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(id)} is installed from ${quote(entry.spec)}, not from ${quote(prepared.recordedSpec)}`,
    {
      hint: 'to switch to that source, add --replace',
      details: { id, installed: entry.spec, asked: prepared.recordedSpec },
    },
  )
}

/**
 * An update asks again if what runs changed, or any file but prose: arguments, environment, working directory and the
 * programs themselves lead to all of them (security page, "Disclosure and consent").
 */
const consentReason = (
  prepared: Prepared,
  { consent, installed, proseConsent }: InstallSituation,
): ConsentReason | null => {
  if (consent.kind === 'granted') return null
  if (consent.kind !== 'changed') return 'not granted here'
  const { record } = consent
  if (record.surfaces !== prepared.signature) return 'surfaces'
  const changed = changedSince(record, prepared.staged.files)
  const code = changesThatCanRun(changed, {
    surfaces: prepared.surfaces,
    before: agreedFiles(record, installed),
    after: prepared.staged.files,
    sameManifest: record.core === manifestFingerprint(prepared.manifest),
  })
  if (code.length > 0) return 'files'
  return proseConsent && changed.length > 0 ? 'prose' : null
}

/** The files the user agreed to. Their first bytes are known where they are still on disk. */
const agreedFiles = ({ files }: ConsentRecord, { tree }: InstalledCapability): readonly ProseFile[] => {
  const scripts = new Set(tree?.files.flatMap(({ path, shebang }) => (shebang ? [path] : [])))
  return Object.entries(files).map(([path, fingerprint]) => ({
    path,
    executable: fingerprint.startsWith('x'),
    shebang: scripts.has(path),
  }))
}

const untrackedError = (id: string): GsdError =>
  new GsdError('STATE_UNTRACKED', `the folder ${quote(`.gsd/capabilities/${id}`)} exists, but is not in the ledger`, {
    hint: 'move it away, or add --force to replace it and keep a copy',
    details: { id },
  })

/** Files that were added after the install and are in the way of new ones. */
const conflictingExtras = ({ staged }: Prepared, { tree }: InstalledCapability) =>
  conflictingFiles(tree?.drift?.extra ?? [], staged.files)

const driftError = (prepared: Prepared, installed: InstalledCapability): GsdError => {
  const { id, tree } = installed
  const { changed = [], missing = [] } = tree?.drift ?? {}
  const foreign = conflictingExtras(prepared, installed)
  const names = [...changed.map(({ path }) => path), ...missing, ...foreign.map(({ path }) => path)]
  const shown = names.length === 0 ? '' : `: ${abbreviateList(names.map(quote))}`
  return new GsdError('STATE_DRIFT', `files of the installed ${quote(id)} were changed by hand${shown}`, {
    hint: `--force replaces them and keeps a copy; gsd capability verify ${id} shows all`,
    details: { id, files: names },
  })
}
