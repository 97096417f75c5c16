import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { pathExists } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'
import { readGrants, scopeConsentKey } from '../../state/grants.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { readInstalled } from '../../state/installed.ts'
import { readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState, type ScopeState } from '../../state/scope-state.ts'
import { readSwitches } from '../../state/switches.ts'
import { inspectJournal } from '../../transaction/inspect-journal.ts'
import { readJournal } from '../../transaction/journal.ts'
import { findLinkedFolders } from '../../transaction/scope-folders.ts'
import { checkLaneHosts } from '../../trust/consent/lane-hosts.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { checkInstalled, errorsAsFindings, finding, type Finding } from './check-installed.ts'
import { findLeftovers } from './leftovers.ts'
import { findOrphanReceipts, findOrphanWirings, wiredWarning } from './orphan-wirings.ts'

/** All problems of one scope. Reads only. */
export const checkScope = (context: Context, paths: ScopePaths, loaded: LoadedRegistry): readonly Finding[] => {
  const files = unreadableFindings(context, paths)
  const left = [linkedFolderFindings, interruptedFindings, leftoverFindings].flatMap((part) =>
    errorsAsFindings(paths, () => part(context, paths)),
  )
  if (files.length > 0) return [...files, ...left]
  return [...left, ...errorsAsFindings(paths, () => capabilityFindings(context, paths, loaded))]
}

const capabilityFindings = (context: Context, paths: ScopePaths, loaded: LoadedRegistry): readonly Finding[] => {
  const state = readScopeState(context, paths)
  return [
    ...[...state.ledger.capabilities.keys()].flatMap((id) => checkInstalled(context, paths, state, id)),
    ...errorsAsFindings(paths, () => orphanFindings(context, paths, state, loaded)),
    ...[wiringFindings, laneFindings, receiptFindings].flatMap((part) =>
      errorsAsFindings(paths, () => part(context, paths, state)),
    ),
    ...errorsAsFindings(paths, () => unreadFileFindings(context, paths)),
    ...loadFindings(paths, loaded),
  ]
}

const wiringFindings = (context: Context, paths: ScopePaths, state: ScopeState): readonly Finding[] =>
  findOrphanWirings(context, paths, state).map((orphan) => ({
    ...wiredWarning(orphan, paths),
    code: 'STATE_DRIFT' as const,
    remedy: 'fix' as const,
  }))

const receiptFindings = (context: Context, paths: ScopePaths, state: ScopeState): readonly Finding[] =>
  findOrphanReceipts(context, paths, state).map((name) =>
    finding(
      'fix',
      paths,
      'STATE_DRIFT',
      `the receipt ${quote(name)} belongs to no installed capability`,
      'gsd capability doctor --fix',
    ),
  )

/** A journal that is still there, although every command tries to recover it. */
const interruptedFindings = (context: Context, paths: ScopePaths): Finding[] => {
  const found = inspectJournal(context, paths)
  if (found === null || found.code !== 'STATE_INTERRUPTED') return []
  return [{ ...found, remedy: found.severity === 'error' ? 'hand' : 'fix' }]
}

const leftoverFindings = (context: Context, paths: ScopePaths): Finding[] =>
  findLeftovers(context, paths, { locked: false }).map((path) =>
    finding(
      'fix',
      paths,
      'STATE_INTERRUPTED',
      `${quote(path)} was left behind by an interrupted operation`,
      'gsd capability doctor --fix',
    ),
  )

/** While a link or a file has the place of one of the program's folders, every change of the scope is refused. */
const linkedFolderFindings = ({ disk }: Context, paths: ScopePaths): Finding[] =>
  findLinkedFolders(disk, paths).map(({ folder, error: { code, message, hint = '' } }) => ({
    ...finding('hand', paths, code, `${message}; no change is made here while it is there`, hint),
    file: folder,
  }))

const unreadableFindings = (context: Context, paths: ScopePaths): Finding[] => {
  const { disk, user } = context
  const files = [
    readLedger(disk, paths),
    readHostRecords(disk, paths),
    readSwitches(disk, paths),
    readGrants(disk, user),
    readJournal(disk, paths),
  ]
  return files.flatMap((file) =>
    file.state === 'unreadable' ? [{ ...file.diagnostic, scope: paths.scope, remedy: 'hand' as const }] : [],
  )
}

/** Lanes that would send plans to a host the user did not consent to. Another check reports what cannot be read. */
const laneFindings = (context: Context, paths: ScopePaths, state: ScopeState): Finding[] =>
  [...state.ledger.capabilities.keys()].flatMap((id) => {
    const record = state.grants.byKey.get(scopeConsentKey(paths, id))
    if (record?.hosts === undefined) return []
    try {
      const installed = readInstalled(context, paths, state, id)
      const manifest = manifestOf(installed)
      const surfaces = listSurfaces(manifest, installed.tree?.files ?? [])
      return checkLaneHosts(context, manifest, surfaces, record).map((each) => ({
        ...each,
        scope: paths.scope,
        remedy: 'hand' as const,
      }))
    } catch (error) {
      if (error instanceof GsdError) return []
      throw error
    }
  })

const orphanFindings = (context: Context, paths: ScopePaths, state: ScopeState, { rows }: LoadedRegistry): Finding[] =>
  rows
    .filter((row) => row.scope === paths.scope && row.status === 'orphan')
    .map(({ id }) => {
      const [odd] = readInstalled(context, paths, state, id).tree?.unexpected ?? []
      const text = `${quote(id)} is loaded, but not in the ledger`
      if (odd === undefined)
        return finding('fix', paths, 'OVERLAY_ORPHAN', text, 'gsd capability doctor --fix: adds it to the ledger', id)
      const hint = 'move that away, then gsd capability doctor --fix'
      return finding('hand', paths, 'OVERLAY_ORPHAN', `${text}; it cannot be added: ${odd}`, hint, id)
    })

/** Files that count only in a global root; a command that takes the folder for a project ignores them. */
const unreadFileFindings = ({ disk, user }: Context, paths: ScopePaths): Finding[] =>
  paths.trusted || paths.gsd === user.gsd
    ? []
    : ['hosts.json', 'grants.json']
        .map((name) => join(paths.gsd, name))
        .filter((file) => pathExists(disk, file))
        .map((file) => ({
          ...finding(
            'hand',
            paths,
            'STATE_UNTRACKED',
            `${quote(file)} is ignored here: it belongs in a global root, not in a project`,
            `if this folder is a global root, run gsd with GSD_HOME=${shellQuote(paths.realRoot)}; otherwise delete it`,
          ),
          file,
        }))

/** What the loader had to skip, in its words. */
const loadFindings = (paths: ScopePaths, { warnings }: LoadedRegistry): Finding[] =>
  warnings
    .filter(
      ({ scope, severity, code }) =>
        scope === paths.scope && severity !== 'info' && code !== 'OVERLAY_MISSING' && code !== 'OVERLAY_ORPHAN',
    )
    .map((warning) => ({ ...warning, remedy: 'hand' as const }))
