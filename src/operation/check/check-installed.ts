import type { Context } from '../../context.ts'
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
import { finding, type Finding } from './finding.ts'
import { type VerifiedRow, verifyInstalled, wiringHint } from './verify-capability.ts'

/** What is wrong with one capability of the ledger: its files, its receipt, its ledger entry, its entries in hosts. */
export const checkInstalled = (
  context: Context,
  places: ScopePaths,
  state: ScopeState,
  id: string,
): readonly Finding[] => {
  try {
    const installed = readInstalled(context, places, state, id)
    const { files, hosts } = verifyInstalled(context, places, state, installed)
    const isWhole = matchesLedger(installed)
    return [
      ...unexpectedFileFindings(places, installed),
      ...(isWhole ? [] : driftFindings(places, installed, files)),
      ...(isWhole ? receiptFindings(places, installed) : []),
      ...(isWhole ? ledgerEntryFindings(places, installed) : []),
      // What the user did not agree to is a finding of its own, with the same remedy.
      ...hosts
        .filter(({ state: found }) => found !== 'ok' && found !== 'not trusted here')
        .map((host) => wiringFinding(places, id, host)),
    ]
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return [
      finding(
        'hand',
        places,
        error.code,
        error.message,
        error.hint ?? `gsd capability remove ${id} --scope ${places.scope}`,
        id,
      ),
    ]
  }
}

const unexpectedFileFindings = (places: ScopePaths, { id, tree }: InstalledCapability): Finding[] =>
  (tree?.unexpected ?? [])
    .slice(0, 5)
    .map((what) =>
      finding('hand', places, 'STATE_DRIFT', `in the folder of ${quote(id)} ${what}`, 'move it away, or delete it', id),
    )

/** What is gone, or cannot run, is put back without a question; over edits the user decides. */
const driftFindings = (places: ScopePaths, installed: InstalledCapability, files: VerifiedRow['files']): Finding[] => {
  const { id, tree } = installed
  const command = `gsd capability sync --scope ${places.scope}`
  const names = [...files.changed, ...files.missing]
  if (names.length === 0) return []
  const isOther =
    tree !== null && tree.drift !== null && tree.drift.baseDigest !== installed.entry?.digest && !hasEdits(installed)
  const text = isOther
    ? `${quote(id)} is not the one that the ledger records`
    : `files of ${quote(id)} are not as they were installed: ${abbreviateList(names.map(quote))}`
  const needsWord = hasEdits(installed)
  const hint = needsWord ? `${command} --force: puts them back, and keeps a copy of what you edited` : command
  return [finding(needsWord ? 'hand' : 'sync', places, 'STATE_DRIFT', text, hint, id)]
}

const receiptFindings = (
  places: ScopePaths,
  { id, receipt: found, entry: recorded }: InstalledCapability,
): Finding[] => {
  const command = `gsd capability sync --scope ${places.scope}`
  if (found.state === 'unreadable')
    return [finding('sync', places, found.diagnostic.code, found.diagnostic.message, command, id)]
  if (found.state === 'ok' && found.value.digest === recorded?.digest) return []
  const what = found.state === 'absent' ? 'is missing' : 'belongs to something else'
  return [finding('sync', places, 'STATE_DRIFT', `the receipt of ${quote(id)} ${what}`, command, id)]
}

/** Everything in a ledger entry that follows from the bundle. */
const ledgerEntryFindings = (places: ScopePaths, installed: InstalledCapability): Finding[] => {
  const { id, entry: recorded } = installed
  const manifest = manifestOf(installed)
  const isRight =
    recorded?.version === manifest.version &&
    recorded.requires.join() === manifest.requires.join() &&
    recorded.surfaces === surfaceSignature(listSurfaces(manifest, recordedFiles(installed)))
  if (isRight) return []
  const text = `the ledger entry of ${quote(id)} does not fit its bundle`
  return [finding('sync', places, 'STATE_DRIFT', text, `gsd capability sync --scope ${places.scope}`, id)]
}

const wiringFinding = (places: ScopePaths, id: string, host: VerifiedRow['hosts'][number]): Finding => {
  const remedy = host.state === 'unreadable' || host.state === 'edited' ? 'hand' : 'sync'
  const text = `${quote(id)} in ${host.runtime}: ${host.state}`
  return {
    ...finding(remedy, places, 'STATE_DRIFT', text, wiringHint({ id, scope: places.scope }, host), id),
    ...(host.file === '' ? {} : { file: host.file }),
  }
}
