import { scopesOf } from '../../config/places.ts'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { quote } from '../../redact.ts'
import { consentKey, readConsent, type ConsentRecord } from '../../store/consent.ts'
import { ensureFolder, removeEmptyFolders } from '../../store/folders.ts'
import { hashOf } from '../../store/hash.ts'
import type { Json } from '../../store/journal-entry.ts'
import { withMember, type JsonObject } from '../../store/json-text.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import { readLedger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readRecords, recordsText, STORES, unreadable } from '../../store/records.ts'
import { removeFile, replaceFile } from '../../store/replace.ts'
import { newOperation } from '../transaction/operation-name.ts'
import { movedRecord } from './belongings.ts'
import type { Heritage } from './heritage.ts'
import { otherProjects, type OtherProject } from './other-projects.ts'
import { ownHeritage } from './own-heritage.ts'
import { lacksRecord } from './signs.ts'

/**
 * After a folder was moved or copied, entries of ours stand in its files for hosts that only the record of the old place
 * knows. A record is taken over where the very entries stand in the file here; of a folder that is still there only what
 * was copied, and it keeps its own. Nothing is agreed to by that.
 */
export const heritage = (context: Context, places: ScopePlaces): readonly Heritage[] => {
  if (places.trusted) return ownHeritage(context, places)
  if (!lacksRecord(context, places)) return []
  const known = new Set<string>()
  const others = otherProjects(context).filter((other): other is Known => other.root !== null)
  return [...others.filter((other) => !other.isThere), ...others.filter((other) => other.isThere)].flatMap((from) => {
    const taken = takenFrom(context, places, from).filter(({ file }) => !known.has(file))
    for (const { file } of taken) known.add(file)
    if (taken.length === 0) return []
    const records = new Map(taken.map(({ file, record }) => [file, record as unknown as Json]))
    const files = spentOf(
      from,
      taken.map(({ was }) => was),
    )
    const spent = from.isThere ? null : { places: from.places, files }
    return [{ from: from.root, isCopy: from.isThere, records, spent }]
  })
}

type Known = OtherProject & { readonly root: string }

const takenFrom = (context: Context, places: ScopePlaces, from: Known) => {
  const isOurs = belongsHere(context, places, from)
  return [...from.hosts.files].flatMap(([was, record]) => {
    const wanted = { from: from.root, to: places.realRoot, isOurs: (id: string) => isOurs(was, id) }
    const taken = movedRecord(context, { file: was, record }, wanted)
    return taken === null ? [] : [{ was, ...taken }]
  })
}

/**
 * A file of the project came with it. One outside belongs to the project that wrote into it, and only to one that is the
 * same: the ledger here records what the user agreed to there.
 */
const belongsHere = (context: Context, places: ScopePlaces, { root, isThere: stays }: Known) => {
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

/** What was taken over, and what the old place had in files of a folder that is no more. */
const spentOf = ({ root, hosts }: Known, taken: readonly string[]): readonly string[] =>
  [...hosts.files.keys()].filter((file) => taken.includes(file) || liesIn(file, root))

/**
 * Puts on record what came with the folder, and tells. The lock of the scope is held, and with it the home's, so that
 * nobody writes the other record meanwhile. Stopped in between, the old place still has it too, and nobody reads that.
 * @throws STATE_*
 */
export const inherit = (context: Context, places: ScopePlaces): void => {
  for (const { from, isCopy, records, spent } of heritage(context, places)) {
    rewrite(context, places, [...records])
    if (spent !== null) {
      rewrite(
        context,
        { ...places, ...spent.places },
        spent.files.map((file) => [file, null]),
      )
      removeEmptyFolders(context.disk, [spent.places.private])
    }
    const text = `${sayMoved(places, from, isCopy)}, and what came along in files of hosts is on record now`
    context.report({ kind: 'notice', text: `${text}; gsd capability doctor says what is to be done` })
  }
}

/** For a command that may not write: what it says of hosts does not count what came with a folder. */
export const tellMoved = (context: Context): void => {
  for (const places of scopesOf(context)) {
    for (const { from, isCopy } of heritage(context, places)) {
      const text = `${sayMoved(places, from, isCopy)}, and what came along in files of hosts is not on record yet`
      context.report({ kind: 'notice', text: `${text}; gsd capability doctor sees to that` })
    }
  }
}

const sayMoved = ({ realRoot }: ScopePlaces, from: string, isCopy: boolean): string =>
  `${quote(realRoot)} ${isCopy ? 'is a copy of' : 'was moved from'} ${quote(from)}`

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
  const { mode } = STORES.hosts
  const options = { operation: newOperation(context), expect, ...(mode === undefined ? {} : { mode }) }
  replaceFile(disk, places.hosts, Buffer.from(text), options)
}
