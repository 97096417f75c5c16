import type { Context } from '../../context.ts'
import { ensureFolder, removeEmptyFolders } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { isInside } from '../../platform/real-path.ts'
import { removeFile, replaceFile } from '../../platform/replace-file.ts'
import { quote } from '../../redact.ts'
import { scopesOf } from '../../state/config/resolve-paths.ts'
import { consentKey, type ConsentRecord, readConsentStore } from '../../state/consent-store.ts'
import type { Json } from '../../state/json-text.ts'
import { type JsonObject, withMember } from '../../state/json-text.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readStoreJson, STORES, storeText, unreadableError } from '../../state/stores.ts'
import { newOperationName } from '../operation-context.ts'
import { lacksHostRecord } from './detect-relocation.ts'
import type { Relocation } from './global-relocations.ts'
import { globalRelocations } from './global-relocations.ts'
import { type OtherProject, otherProjects } from './other-projects.ts'
import { relocatedRecord } from './relocated-records.ts'

/**
 * After a folder was moved or copied, entries of ours stand in its files for hosts that only the record of the old place
 * knows. A record is taken over where the very entries stand in the file here; of a folder that is still there only what
 * was copied, and it keeps its own. Nothing is agreed to by that.
 */
export const findRelocations = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  if (paths.trusted) return globalRelocations(context, paths)
  if (!lacksHostRecord(context, paths)) return []
  const known = new Set<string>()
  const others = otherProjects(context).filter((other): other is KnownProject => other.root !== null)
  return [...others.filter((other) => !other.exists), ...others.filter((other) => other.exists)].flatMap((from) => {
    const taken = relocatedRecordsFrom(context, paths, from).filter(({ file }) => !known.has(file))
    for (const { file } of taken) known.add(file)
    if (taken.length === 0) return []
    const records = new Map(taken.map(({ file, record }) => [file, record as unknown as Json]))
    const files = obsoleteFiles(
      from,
      taken.map(({ was }) => was),
    )
    const obsolete = from.exists ? null : { paths: from.paths, files }
    return [{ from: from.root, isCopy: from.exists, records, obsolete }]
  })
}

type KnownProject = OtherProject & { readonly root: string }

const relocatedRecordsFrom = (context: Context, paths: ScopePaths, from: KnownProject) => {
  const isOurs = entryOwnershipTest(context, paths, from)
  return [...from.hostRecords.files].flatMap(([was, record]) => {
    const wanted = { from: from.root, to: paths.realRoot, isOurs: (id: string) => isOurs(was, id) }
    const taken = relocatedRecord(context, { file: was, record }, wanted)
    return taken === null ? [] : [{ was, ...taken }]
  })
}

/**
 * A file of the project came with it. One outside belongs to the project that wrote into it, and only to one that is the
 * same: the ledger here records what the user agreed to there.
 */
const entryOwnershipTest = (context: Context, paths: ScopePaths, { root, exists }: KnownProject) => {
  const ledger = readLedger(context.disk, paths)
  const consents = readConsentStore(context.disk, context.user)
  const installed = ledger.state === 'ok' ? ledger.value.capabilities : new Map<string, LedgerEntry>()
  const agreed = consents.state === 'ok' ? consents.value.grants : new Map<string, ConsentRecord>()
  return (file: string, id: string): boolean => {
    const digest = installed.get(id)?.digest
    if (isInside(file, root)) return !exists || digest !== undefined
    return !exists && digest !== undefined && agreed.get(consentKey('project', root, id))?.digest === digest
  }
}

/** What was taken over, and what the old place had in files of a folder that is no more. */
const obsoleteFiles = ({ root, hostRecords }: KnownProject, taken: readonly string[]): readonly string[] =>
  [...hostRecords.files.keys()].filter((file) => taken.includes(file) || isInside(file, root))

/**
 * Puts on record what came with the folder, and tells. The lock of the scope is held, and with it the home's, so that
 * nobody writes the other record meanwhile. Stopped in between, the old place still has it too, and nobody reads that.
 * @throws STATE_*
 */
export const recordRelocations = (context: Context, paths: ScopePaths): void => {
  for (const { from, isCopy, records, obsolete } of findRelocations(context, paths)) {
    rewriteHostRecords(context, paths, [...records])
    if (obsolete !== null) {
      rewriteHostRecords(
        context,
        { ...paths, ...obsolete.paths },
        obsolete.files.map((file) => [file, null]),
      )
      removeEmptyFolders(context.disk, [obsolete.paths.private])
    }
    const text = `${describeRelocation(paths, from, isCopy)}, and what came along in files of hosts is on record now`
    context.report({ kind: 'notice', text: `${text}; gsd capability doctor says what is to be done` })
  }
}

/** For a command that may not write: what it says of hosts does not count what came with a folder. */
export const reportRelocations = (context: Context): void => {
  for (const paths of scopesOf(context)) {
    for (const { from, isCopy } of findRelocations(context, paths)) {
      const text = `${describeRelocation(paths, from, isCopy)}, and what came along in files of hosts is not on record yet`
      context.report({ kind: 'notice', text: `${text}; gsd capability doctor sees to that` })
    }
  }
}

const describeRelocation = ({ realRoot }: ScopePaths, from: string, isCopy: boolean): string =>
  `${quote(realRoot)} ${isCopy ? 'is a copy of' : 'was moved from'} ${quote(from)}`

const rewriteHostRecords = (
  context: Context,
  paths: ScopePaths,
  members: readonly (readonly [string, Json])[],
): void => {
  const { disk, user } = context
  const found = readStoreJson(disk, user, paths, 'hosts')
  if (found.state === 'unreadable') throw unreadableError(found.diagnostic)
  const before: JsonObject = found.state === 'ok' ? found.json : { schema: STORES.hosts.kind.schema }
  const after = members.reduce((json, [file, record]) => withMember(json, ['files', file], record), before)
  const expect = found.state === 'ok' ? sha512Hex(found.text) : null
  const text = storeText(after)
  if (text === null) return expect === null ? undefined : removeFile(disk, paths.hosts, expect)
  ensureFolder(disk, paths.private)
  const { mode } = STORES.hosts
  const options = { operation: newOperationName(context), expect, ...(mode === undefined ? {} : { mode }) }
  replaceFile(disk, paths.hosts, Buffer.from(text), options)
}
