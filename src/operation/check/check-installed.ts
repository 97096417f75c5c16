import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
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
import type { ScopeState } from '../../state/scope-state.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { type VerifiedRow, verifyInstalled, wiringHint } from './verify-capability.ts'

/** What is wrong with one capability of the ledger: its files, its receipt, its ledger entry, its entries in hosts. */
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
      // What the user did not agree to is a finding of its own, with the same remedy.
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

const unexpectedFileFindings = (paths: ScopePaths, { id, tree }: InstalledCapability): Finding[] =>
  (tree?.unexpected ?? [])
    .slice(0, 5)
    .map((what) =>
      finding('hand', paths, 'STATE_DRIFT', `in the folder of ${quote(id)} ${what}`, 'move it away, or delete it', id),
    )

/** What is gone, or cannot run, is put back without a question; over edits the user decides. */
const driftFindings = (paths: ScopePaths, installed: InstalledCapability, files: VerifiedRow['files']): Finding[] => {
  const { id, tree } = installed
  const command = `gsd capability sync --scope ${paths.scope}`
  const names = [...files.changed, ...files.missing]
  if (names.length === 0) return []
  const isOther =
    tree !== null && tree.drift !== null && tree.drift.baseDigest !== installed.entry?.digest && !hasEdits(installed)
  const text = isOther
    ? `${quote(id)} is not the one that the ledger records`
    : `files of ${quote(id)} are not as they were installed: ${abbreviateList(names.map(quote))}`
  const needsWord = hasEdits(installed)
  const hint = needsWord ? `${command} --force: puts them back, and keeps a copy of what you edited` : command
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
  const what = found.state === 'absent' ? 'is missing' : 'belongs to something else'
  return [finding('sync', paths, 'STATE_DRIFT', `the receipt of ${quote(id)} ${what}`, command, id)]
}

/** Everything in a ledger entry that follows from the bundle. */
const ledgerEntryFindings = (paths: ScopePaths, installed: InstalledCapability): Finding[] => {
  const { id, entry: recorded } = installed
  const manifest = manifestOf(installed)
  const isRight =
    recorded?.version === manifest.version &&
    recorded.requires.join() === manifest.requires.join() &&
    recorded.surfaces === surfaceSignature(listSurfaces(manifest, recordedFiles(installed)))
  if (isRight) return []
  const text = `the ledger entry of ${quote(id)} does not fit its bundle`
  return [finding('sync', paths, 'STATE_DRIFT', text, `gsd capability sync --scope ${paths.scope}`, id)]
}

const wiringFinding = (paths: ScopePaths, id: string, host: VerifiedRow['hosts'][number]): Finding => {
  const remedy = host.state === 'unreadable' || host.state === 'edited' ? 'hand' : 'sync'
  const text = `${quote(id)} in ${host.runtime}: ${host.state}`
  return {
    ...finding(remedy, paths, 'STATE_DRIFT', text, wiringHint({ id, scope: paths.scope }, host), id),
    ...(host.file === '' ? {} : { file: host.file }),
  }
}

/** Something that is wrong, with what mends it: `fix` and `sync` by the doctor, anything else by hand. */
export interface Finding extends Diagnostic {
  readonly remedy: 'fix' | 'sync' | 'hand'
}

/** @param hint the one command that mends it, before a colon if there is more to say; or what to do by hand */
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

/** What cannot be looked at is a finding too, and keeps nobody from the others. */
export const errorsAsFindings = (paths: ScopePaths, part: () => readonly Finding[]): readonly Finding[] => {
  try {
    return part()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const { code, message, hint = 'gsd capability doctor: again, when it can be read' } = error
    return [finding('hand', paths, code, message, hint)]
  }
}
