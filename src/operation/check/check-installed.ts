import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { consentStatus } from '../../host/wiring/rewire.ts'
import { abbreviateList, quote } from '../../redact.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import {
  hasEdits,
  type InstalledCapability,
  matchesLedger,
  readInstalled,
  recordedFiles,
} from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, type ScopeState } from '../../state/scope-state.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { matchesSignature } from '../../trust/signature.ts'
import { type VerifiedRow, verifyInstalled, wiringHint } from './verify-capability.ts'

/** Problems of one capability of the ledger: its files, receipt, ledger entry and host entries. */
export const checkInstalled = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  id: string,
): readonly Finding[] => {
  try {
    const installed = readInstalled(context, paths, state, id)
    const { files, hosts } = verifyInstalled(context, paths, state, installed)
    const isWhole = matchesLedger(installed)
    return [
      ...unexpectedFileFindings(paths, installed),
      ...(isWhole ? [] : driftFindings(paths, installed, files)),
      ...(isWhole ? receiptFindings(paths, installed) : []),
      ...(isWhole ? ledgerEntryFindings(paths, installed) : []),
      ...notGrantedFindings(paths, state, installed, hosts),
      // Missing consent is a finding of its own, with the same remedy.
      ...hosts
        .filter(({ state: found }) => found !== 'ok' && found !== 'not trusted here')
        .map((host) => wiringFinding(paths, id, host)),
    ]
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return [
      finding(
        'hand',
        paths,
        error.code,
        error.message,
        error.hint ?? `gsd capability remove ${id} --scope ${paths.scope}`,
        id,
      ),
    ]
  }
}

/** In a project the loader reports this; in the user's own scope a capability is loaded all the same. */
const notGrantedFindings = (
  paths: ScopePaths,
  state: ScopeState,
  installed: InstalledCapability,
  hosts: VerifiedRow['hosts'],
): Finding[] => {
  const { id } = installed
  if (!paths.trusted || isSwitchedOff(id, state)) return []
  const isUnwired = hosts.some((host) => host.state === 'not trusted here')
  if (!isUnwired && (hosts.length === 0 || consentStatus(paths, state, installed) !== 'never')) return []
  const text = `you did not agree to ${quote(id)} here as it is now${isUnwired ? ', so it is not wired' : ', and it is wired'}`
  const hint = `gsd capability trust grant ${id} --scope ${paths.scope}`
  const revoke = isUnwired ? '' : `: or trust revoke ${id}, to remove it from hosts`
  return [finding('hand', paths, 'CONSENT_MISSING', text, `${hint}${revoke}`, id)]
}

const unexpectedFileFindings = (paths: ScopePaths, { id, tree }: InstalledCapability): Finding[] =>
  (tree?.unexpected ?? [])
    .slice(0, 5)
    .map((what) =>
      finding('hand', paths, 'STATE_DRIFT', `in the folder of ${quote(id)} ${what}`, 'move it away, or delete it', id),
    )

/** Missing files, or ones that cannot run, are restored without a question; for edits the user decides. */
const driftFindings = (paths: ScopePaths, installed: InstalledCapability, files: VerifiedRow['files']): Finding[] => {
  const { id, tree } = installed
  const command = `gsd capability sync --scope ${paths.scope}`
  const names = [...files.changed, ...files.missing]
  if (names.length === 0) return []
  const isOther =
    tree !== null && tree.drift !== null && tree.drift.baseDigest !== installed.entry?.digest && !hasEdits(installed)
  const text = isOther
    ? `${quote(id)} is not the version in the ledger`
    : `files of ${quote(id)} differ from what was installed: ${abbreviateList(names.map(quote))}`
  // Without a record sync compares with the source, and finds out whether anything was edited.
  const needsWord = (tree === null || tree.drift !== null) && hasEdits(installed)
  const hint = needsWord ? `${command} --force: restores them, and keeps copies of your edits` : command
  return [finding(needsWord ? 'hand' : 'sync', paths, 'STATE_DRIFT', text, hint, id)]
}

const receiptFindings = (
  paths: ScopePaths,
  { id, receipt: found, entry: recorded }: InstalledCapability,
): Finding[] => {
  const command = `gsd capability sync --scope ${paths.scope}`
  if (found.state === 'unreadable')
    return [finding('sync', paths, found.diagnostic.code, found.diagnostic.message, command, id)]
  if (found.state === 'ok' && found.value.digest === recorded?.digest) return []
  const what = found.state === 'absent' ? 'is missing' : 'belongs to other content'
  return [finding('sync', paths, 'STATE_DRIFT', `the receipt of ${quote(id)} ${what}`, command, id)]
}

/** The parts of a ledger entry that follow from the bundle. */
const ledgerEntryFindings = (paths: ScopePaths, installed: InstalledCapability): Finding[] => {
  const { id, entry: recorded } = installed
  const manifest = manifestOf(installed)
  const isRight =
    recorded?.version === manifest.version &&
    recorded.requires.join() === manifest.requires.join() &&
    matchesSignature(recorded.surfaces, listSurfaces(manifest, recordedFiles(installed)))
  if (isRight) return []
  const text = `the ledger entry of ${quote(id)} does not match its bundle`
  return [finding('sync', paths, 'STATE_DRIFT', text, `gsd capability sync --scope ${paths.scope}`, id)]
}

const wiringFinding = (paths: ScopePaths, id: string, host: VerifiedRow['hosts'][number]): Finding => {
  const remedy = ['unreadable', 'edited', 'linked'].includes(host.state) ? 'hand' : 'sync'
  const text = `${quote(id)} in ${host.runtime}: ${host.state}`
  return {
    ...finding(remedy, paths, 'STATE_DRIFT', text, wiringHint({ id, scope: paths.scope }, host), id),
    ...(host.file === '' ? {} : { file: host.file }),
  }
}

/** A problem and its remedy: the doctor does `fix` and `sync`; the user does `hand`. */
export interface Finding extends Diagnostic {
  readonly remedy: 'fix' | 'sync' | 'hand'
}

/** @param hint the one command that fixes it, before a colon if there is more to say; or what to do by hand */
export const finding = (
  remedy: Finding['remedy'],
  { scope }: ScopePaths,
  code: Diagnostic['code'],
  message: string,
  hint: string,
  id?: string,
): Finding => ({
  ...diagnostic('warning', code, message, { scope, hint, ...(id === undefined ? {} : { id }) }),
  remedy,
})

/** What cannot be read is a finding too, and does not stop the other checks. */
export const errorsAsFindings = (paths: ScopePaths, part: () => readonly Finding[]): readonly Finding[] => {
  try {
    return part()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const { code, message, hint = 'make it readable, then run gsd capability doctor again' } = error
    return [finding('hand', paths, code, message, hint)]
  }
}
