import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import { isAsRecorded, isEdited, readInstalled, recordedFiles, type Installed } from '../installed/installed.ts'
import type { ScopeState } from '../installed/scope-state.ts'
import { someOf } from '../installed/some-of.ts'
import { finding, type Finding } from './finding.ts'
import { hintFor, verifyInstalled, type VerifiedRow } from './verify-one.ts'

/** What is wrong with one capability of the ledger: its files, its receipt, its ledger entry, its entries in hosts. */
export const examineInstalled = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  id: string,
): readonly Finding[] => {
  try {
    const installed = readInstalled(context, places, state, id)
    const { files, hosts } = verifyInstalled(context, places, state, installed)
    const isWhole = isAsRecorded(installed)
    return [
      ...odd(places, installed),
      ...(isWhole ? [] : drift(places, installed, files)),
      ...(isWhole ? receipt(places, installed) : []),
      ...(isWhole ? entry(places, installed) : []),
      // What the user did not agree to is a finding of its own, with the same remedy.
      ...hosts
        .filter(({ state: found }) => found !== 'ok' && found !== 'not trusted here')
        .map((host) => unwired(places, id, host)),
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

const odd = (places: ScopePlaces, { id, tree }: Installed): Finding[] =>
  (tree?.odd ?? [])
    .slice(0, 5)
    .map((what) =>
      finding('hand', places, 'STATE_DRIFT', `in the folder of ${quote(id)} ${what}`, 'move it away, or delete it', id),
    )

/** What is gone, or cannot run, is put back without a question; over edits the user decides. */
const drift = (places: ScopePlaces, installed: Installed, files: VerifiedRow['files']): Finding[] => {
  const { id, tree } = installed
  const command = `gsd capability sync --scope ${places.scope}`
  const names = [...files.changed, ...files.missing]
  if (names.length === 0) return []
  const isOther =
    tree !== null && tree.drift !== null && tree.drift.of !== installed.entry?.digest && !isEdited(installed)
  const text = isOther
    ? `${quote(id)} is not the one that the ledger records`
    : `files of ${quote(id)} are not as they were installed: ${someOf(names.map(quote))}`
  const needsWord = isEdited(installed)
  const hint = needsWord ? `${command} --force: puts them back, and keeps a copy of what you edited` : command
  return [finding(needsWord ? 'hand' : 'sync', places, 'STATE_DRIFT', text, hint, id)]
}

const receipt = (places: ScopePlaces, { id, receipt: found, entry: recorded }: Installed): Finding[] => {
  const command = `gsd capability sync --scope ${places.scope}`
  if (found.state === 'unreadable')
    return [finding('sync', places, found.diagnostic.code, found.diagnostic.message, command, id)]
  if (found.state === 'ok' && found.value.digest === recorded?.digest) return []
  const what = found.state === 'absent' ? 'is missing' : 'belongs to something else'
  return [finding('sync', places, 'STATE_DRIFT', `the receipt of ${quote(id)} ${what}`, command, id)]
}

/** Everything in a ledger entry that follows from the bundle. */
const entry = (places: ScopePlaces, installed: Installed): Finding[] => {
  const { id, entry: recorded } = installed
  const manifest = manifestOf(installed)
  const isRight =
    recorded?.version === manifest.version &&
    recorded.requires.join() === manifest.requires.join() &&
    recorded.surfaces === surfaceSignature(surfacesOf(manifest, recordedFiles(installed)))
  if (isRight) return []
  const text = `the ledger entry of ${quote(id)} does not fit its bundle`
  return [finding('sync', places, 'STATE_DRIFT', text, `gsd capability sync --scope ${places.scope}`, id)]
}

const unwired = (places: ScopePlaces, id: string, host: VerifiedRow['hosts'][number]): Finding => {
  const remedy = host.state === 'unreadable' || host.state === 'edited' ? 'hand' : 'sync'
  const text = `${quote(id)} in ${host.runtime}: ${host.state}`
  return {
    ...finding(remedy, places, 'STATE_DRIFT', text, hintFor({ id, scope: places.scope }, host), id),
    ...(host.file === '' ? {} : { file: host.file }),
  }
}
