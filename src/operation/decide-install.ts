import type { BundleFile } from '../bundle/bundle.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { sameSource } from '../spec/same-source.ts'
import type { Spec } from '../spec/spec.ts'
import { fileMark } from '../store/consent.ts'
import type { ConsentAnswer } from '../store/find-consent.ts'
import { changedSince } from '../store/find-consent.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import { runsBundleFiles } from '../trust/surface.ts'
import type { Prepared } from './prepare.ts'

/** What stands in the place of a capability now. */
export interface Installed {
  readonly entry: LedgerEntry | null
  /** The recorded spec, understood; null without an entry. */
  readonly spec: Spec | null
  /** Digest of the folder as it is; null where there is none. */
  readonly digestNow: string | null
  readonly consent: ConsentAnswer
}

export interface InstallChoice {
  readonly force: boolean
  readonly replace: boolean
  /** The scope's folder may come from a repository, so that consent decides whether the capability acts. */
  readonly trusted: boolean
}

export interface InstallDecision {
  /** The bundle has to be put in place. */
  readonly place: boolean
  /** A folder stands there and makes room. */
  readonly replaces: boolean
  /** That folder holds edits of the user, and a copy of it is to be kept. */
  readonly keep: boolean
  /** Why consent is needed; null where it was given to this already. */
  readonly consent: ConsentReason | null
}

export type ConsentReason = 'new' | 'surfaces' | 'files' | 'not granted here'

/**
 * What is to be done with one capability, given what stands in its place (contract, `capability install`).
 * @throws STATE_OTHER_SOURCE, STATE_UNTRACKED, STATE_DRIFT
 */
export const decideInstall = (prepared: Prepared, now: Installed, choice: InstallChoice): InstallDecision => {
  const { id } = prepared.manifest
  const there = now.digestNow !== null
  if (now.entry === null) {
    if (there && now.digestNow !== prepared.digest && !choice.force) throw untracked(id)
    const place = now.digestNow !== prepared.digest
    return { place, replaces: there && place, keep: there && place, consent: 'new' }
  }
  const same = now.entry.digest === prepared.digest
  if (!same && now.spec !== null && !sameSource(now.spec, prepared.spec) && !choice.replace) {
    throw otherSource(id, now.entry, prepared)
  }
  const edited = there && now.digestNow !== now.entry.digest && now.digestNow !== prepared.digest
  if (edited && !choice.force) throw drifted(id)
  const place = now.digestNow !== prepared.digest
  return {
    place,
    replaces: there && place,
    keep: edited,
    consent: consentReason(prepared, now, same && choice.trusted),
  }
}

/**
 * An update asks again when what runs is something else, or when any file but Markdown changed next to files that run
 * (security page, "Disclosure and consent").
 */
const consentReason = (prepared: Prepared, { consent }: Installed, settled: boolean): ConsentReason | null => {
  if (consent.kind === 'granted' || settled) return null
  if (consent.kind !== 'changed') return 'not granted here'
  if (consent.record.surfaces !== prepared.signature) return 'surfaces'
  const code = changedSince(consent.record, prepared.staged.files).filter((path) => !isProse(path))
  return runsBundleFiles(prepared.surfaces) && code.length > 0 ? 'files' : null
}

/** The manifest is left out: all of it that runs is in the surfaces. */
const isProse = (path: string): boolean => /\.(?:md|markdown)$/i.test(path) || path === 'capability.json'

const marksOf = (files: readonly BundleFile[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file.path, fileMark(file)]))

/** Files that differ between what is installed and what is to be, by path. */
export const changedFiles = (before: readonly BundleFile[], after: readonly BundleFile[]): readonly string[] => {
  const [old, fresh] = [marksOf(before), marksOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((path) => old.get(path) !== fresh.get(path)).toSorted()
}

const otherSource = (id: string, entry: LedgerEntry, prepared: Prepared): GsdError =>
  new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(id)} is installed from ${quote(entry.spec)}, not from ${quote(prepared.recorded)}`,
    {
      hint: 'to take it from there from now on, add --replace',
      details: { id, installed: entry.spec, asked: prepared.recorded },
    },
  )

const untracked = (id: string): GsdError =>
  new GsdError(
    'STATE_UNTRACKED',
    `there is a folder ${quote(`.gsd/capabilities/${id}`)} that no ledger entry accounts for`,
    {
      hint: 'move it away, or add --force to replace it and keep a copy',
      details: { id },
    },
  )

const drifted = (id: string): GsdError =>
  new GsdError('STATE_DRIFT', `files of the installed ${quote(id)} were changed by hand`, {
    hint: `gsd capability verify ${id} names them; --force replaces them and keeps a copy`,
    details: { id },
  })
