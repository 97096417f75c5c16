import { join, relative } from 'node:path'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { HostFileRecord } from '../../host/host-edit.ts'
import { realFileOf } from '../../host/real-file.ts'
import { quote } from '../../redact.ts'
import { consentKey, readConsent, type ConsentRecord } from '../../store/consent.ts'
import { ensureFolder, removeEmptyFolders } from '../../store/folders.ts'
import { hashOf } from '../../store/hash.ts'
import { isThere } from '../../store/is-there.ts'
import type { Json } from '../../store/journal-entry.ts'
import { withMember, type JsonObject } from '../../store/json-text.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import { readLedger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readRecords, recordsText, STORES, unreadable } from '../../store/records.ts'
import { removeFile, replaceFile } from '../../store/replace.ts'
import { newOperation } from '../transaction/operation-name.ts'
import { openHostBook } from '../wiring/host-book.ts'
import { otherProjects, type OtherProject } from './other-projects.ts'
import { lacksRecord } from './signs.ts'

/** What another project has on record, and what of it stands in the files of this one. */
export interface Inheritance {
  readonly from: OtherProject & { readonly root: string }
  /** By the file here. */
  readonly files: ReadonlyMap<string, { readonly was: string; readonly record: HostFileRecord }>
}

/**
 * What came with the folder of a project: after it was moved or copied, entries of ours stand in its files for hosts that
 * only the record of the old place knows. A record is taken over where the very entries stand in the file here; of a
 * project that is still there only what was copied, and it keeps its own. Nothing is agreed to by that.
 */
export const inheritances = (context: Context, places: ScopePlaces): readonly Inheritance[] => {
  if (!lacksRecord(context, places)) return []
  const known = new Set<string>()
  const others = otherProjects(context).filter((other): other is Inheritance['from'] => other.root !== null)
  return [...others.filter((other) => !other.isThere), ...others.filter((other) => other.isThere)].flatMap((from) => {
    const files = filesFrom(context, places, from).filter(([file]) => !known.has(file))
    for (const [file] of files) known.add(file)
    return files.length === 0 ? [] : [{ from, files: new Map(files) }]
  })
}

type Taken = readonly [string, { readonly was: string; readonly record: HostFileRecord }]

const filesFrom = (context: Context, places: ScopePlaces, from: Inheritance['from']): readonly Taken[] => {
  const isOurs = belongsHere(context, places, from)
  return [...from.hosts.files].flatMap(([was, record]): Taken[] => {
    const file = movedPath(was, from.root, places.realRoot)
    const here = { ...record, madeFolders: record.madeFolders.map((at) => movedPath(at, from.root, places.realRoot)) }
    const entries = Object.entries(record.entries).filter(
      ([id]) => isOurs(was, id) && standsIn(context, file, here, id),
    )
    return entries.length === 0 ? [] : [[file, { was, record: { ...here, entries: Object.fromEntries(entries) } }]]
  })
}

/**
 * A file of the project came with it. One outside belongs to the project that wrote into it, and only to one that is the
 * same: the ledger here records what the user agreed to there.
 */
const belongsHere = (context: Context, places: ScopePlaces, { root, isThere: stays }: Inheritance['from']) => {
  const ledger = readLedger(context.disk, places)
  const consents = readConsent(context.disk, context.user)
  const installed = ledger.state === 'ok' ? ledger.value.capabilities : new Map<string, LedgerEntry>()
  const agreed = consents.state === 'ok' ? consents.value.grants : new Map<string, ConsentRecord>()
  return (file: string, id: string): boolean => {
    const digest = installed.get(id)?.digest
    if (liesIn(file, root)) return !stays || digest !== undefined
    return !stays && digest !== undefined && agreed.get(consentKey('project', root, id))?.digest === digest
  }
}

/** Where a path of a moved folder is now; one outside of it is where it was. */
export const movedPath = (path: string, from: string, to: string): string =>
  liesIn(path, from) ? join(to, relative(from, path)) : path

/** Taking it out would change the file; and the file is no link to another one, which a repository might hold. */
const standsIn = (context: Context, file: string, record: HostFileRecord, id: string): boolean => {
  try {
    if (realFileOf(context.disk, file).file !== file) return false
    if (record.surface === 'placed-file') return isThere(context.disk, file)
    const book = openHostBook(context, { files: new Map([[file, record]]) }, 'look')
    book.wish({ file, surface: record.surface, runtime: record.runtime, id, entries: [] })
    return book.edits().length > 0 || book.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')
  } catch (error) {
    if (error instanceof GsdError) return false
    throw error
  }
}

/**
 * Puts on record here what came with the folder, and tells. The lock of the scope is held, and with it the home's, so that
 * nobody writes the other record meanwhile. Stopped in between, the old place still has it too, and nobody reads that.
 * @throws STATE_*
 */
export const inherit = (context: Context, places: ScopePlaces): void => {
  for (const { from, files } of inheritances(context, places)) {
    rewrite(
      context,
      places,
      [...files].map(([file, { record }]) => [file, record as unknown as Json]),
    )
    if (!from.isThere) {
      rewrite(
        context,
        { ...places, ...from.places },
        spent(from, files).map((was) => [was, null]),
      )
      removeEmptyFolders(context.disk, [from.places.private])
    }
    const how = from.isThere ? 'is a copy of' : 'was moved from'
    const text = `this project ${how} ${quote(from.root)}: what stands in its files for hosts is on record here now`
    context.report({ kind: 'notice', text })
  }
}

/** What the old place is to forget: what was taken over, and what it had in files of a folder that is no more. */
const spent = ({ root, hosts }: Inheritance['from'], files: Inheritance['files']): readonly string[] => {
  const taken = new Set([...files.values()].map(({ was }) => was))
  return [...hosts.files.keys()].filter((file) => taken.has(file) || liesIn(file, root))
}

const rewrite = (context: Context, places: ScopePlaces, members: readonly (readonly [string, Json])[]): void => {
  const { disk, user } = context
  const found = readRecords(disk, user, places, 'hosts')
  if (found.state === 'unreadable') throw unreadable(found.diagnostic)
  const before: JsonObject = found.state === 'ok' ? found.json : { schema: STORES.hosts.kind.schema }
  const after = members.reduce((json, [file, record]) => withMember(json, ['files', file], record), before)
  const expect = found.state === 'ok' ? hashOf(found.text) : null
  const text = recordsText(after)
  if (text === null) return expect === null ? undefined : removeFile(disk, places.hosts, expect)
  ensureFolder(disk, places.private)
  replaceFile(disk, places.hosts, Buffer.from(text), { operation: newOperation(context), expect })
}
