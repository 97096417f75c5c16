import { join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { pathExists } from '../../platform/disk.ts'
import { isInside, resolveRealFile } from '../../platform/real-path.ts'
import { consentKey, type ConsentRecord, readGrants } from '../../state/grants.ts'
import type { HostFileRecord } from '../../state/host-edit.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { type Json, sameJson } from '../../state/json-text.ts'
import { type LedgerEntry, readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { formerRoots, lacksHostRecord } from './detect-relocation.ts'
import { type OtherProject, otherProjects } from './other-projects.ts'
import { findUnrecordedEntries } from './unrecorded-entries.ts'

/** Host entries that came with a scope that was moved or copied, and how to record them. */
export interface Relocation {
  /** The former path of the folder; null: this machine does not know it. */
  readonly from: string | null
  /** The former folder still exists, so this one is a copy. */
  readonly isCopy: boolean
  /** Host file → its record here; null: remove the record. */
  readonly records: ReadonlyMap<string, Json>
  /** Records of the former path that are to be removed; null when there are none. */
  readonly obsolete: { readonly paths: OtherProject['paths']; readonly files: readonly string[] } | null
}

/**
 * Finds entries of ours in host files of this scope that only the record of a former path knows, because the folder was
 * moved or copied. A record is adopted only where the host file here holds its entries. A folder that was copied keeps its
 * own record. No consent follows from it.
 */
export const findRelocations = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  const known = knownRelocations(context, paths)
  return known.length > 0 || !lacksHostRecord(context, paths) ? known : unrecordedEntries(context, paths)
}

const unrecordedEntries = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  const found = findUnrecordedEntries(context, paths)
  if (found.size === 0) return []
  const records = new Map([...found].map(([file, record]) => [file, record as unknown as Json]))
  return [{ from: null, isCopy: true, records, obsolete: null }]
}

const knownRelocations = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  if (paths.trusted) return globalRelocations(context, paths)
  if (!lacksHostRecord(context, paths)) return []
  const adopted = new Set<string>()
  const others = otherProjects(context).filter((other): other is KnownProject => other.root !== null)
  return [...others.filter(({ exists }) => !exists), ...others.filter(({ exists }) => exists)].flatMap((from) => {
    const found = relocatedRecordsFrom(context, paths, from).filter(({ file }) => !adopted.has(file))
    for (const { file } of found) adopted.add(file)
    if (found.length === 0) return []
    const records = new Map(found.map(({ file, record }) => [file, record as unknown as Json]))
    const files = obsoleteFiles(
      from,
      found.map(({ formerFile }) => formerFile),
    )
    const obsolete = from.exists ? null : { paths: from.paths, files }
    return [{ from: from.root, isCopy: from.exists, records, obsolete }]
  })
}

type KnownProject = OtherProject & { readonly root: string }

const relocatedRecordsFrom = (context: Context, paths: ScopePaths, from: KnownProject) => {
  const isOurs = entryOwnershipTest(context, paths, from)
  return [...from.hostRecords.files].flatMap(([formerFile, record]) => {
    const found = relocatedRecord(
      context,
      { file: formerFile, record },
      { from: from.root, to: paths.realRoot, isOurs: (id) => isOurs(formerFile, id) },
    )
    return found === null ? [] : [{ formerFile, ...found }]
  })
}

/**
 * A host file inside the project moved with it. One outside belongs to the project that wrote it, so it is adopted only by
 * the same project: its ledger has the digest that the user agreed to there.
 */
const entryOwnershipTest = (context: Context, paths: ScopePaths, { root, exists }: KnownProject) => {
  const ledger = readLedger(context.disk, paths)
  const consents = readGrants(context.disk, context.user)
  const installed = ledger.state === 'ok' ? ledger.value.capabilities : new Map<string, LedgerEntry>()
  const grants = consents.state === 'ok' ? consents.value.byKey : new Map<string, ConsentRecord>()
  return (file: string, id: string): boolean => {
    const digest = installed.get(id)?.digest
    if (isInside(file, root)) return !exists || digest !== undefined
    return !exists && digest !== undefined && grants.get(consentKey('project', root, id))?.digest === digest
  }
}

/** Files whose records were adopted, and files inside a folder that no longer exists. */
const obsoleteFiles = ({ root, hostRecords }: KnownProject, adopted: readonly string[]): readonly string[] =>
  [...hostRecords.files.keys()].filter((file) => adopted.includes(file) || isInside(file, root))

/**
 * The same for a global root, whose record is stored in it and moves with it. In a copy, records of files elsewhere describe
 * the entries of the original, so they are removed.
 */
const globalRelocations = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  const { disk } = context
  const to = paths.realRoot
  return formerRoots(context, paths).flatMap(({ root: from, files }) => {
    const isCopy = pathExists(disk, join(from, '.gsd'))
    if (isCopy && isSameFolder(context, join(from, '.gsd'), paths.gsd)) return []
    const hosts = readHostRecords(disk, paths)
    const known = hosts.state === 'ok' ? hosts.value.files : new Map()
    const records = new Map<string, Json>()
    for (const file of files) {
      const record = known.get(file)
      const isCurrent = isInside(file, to) && !(isInside(from, to) && isInside(file, from))
      if (record === undefined || isCurrent) continue
      const found = isInside(file, from)
        ? relocatedRecord(context, { file, record }, { from, to, isOurs: () => true })
        : null
      if (found !== null || isCopy) records.set(file, null)
      if (found !== null) records.set(found.file, found.record as unknown as Json)
    }
    const changed = [...records].filter(([file, after]) => !sameJson((known.get(file) ?? null) as Json, after))
    return changed.length === 0 ? [] : [{ from, isCopy, records: new Map(changed), obsolete: null }]
  })
}

/** Two paths of one folder: a link, or a mount in a container. */
const isSameFolder = ({ disk }: Context, one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => disk.statSync(path))
  return a?.dev === b?.dev && a?.ino === b?.ino
}

/** The path after a folder was moved; the same path when it is outside of that folder. */
export const relocatedPath = (path: string, from: string, to: string): string =>
  isInside(path, from) ? join(to, relative(from, path)) : path

/** The record of a host file for the new path of the folder, with only the entries that the file here really holds. */
const relocatedRecord = (
  context: Context,
  { file, record }: { readonly file: string; readonly record: HostFileRecord },
  { from, to, isOurs }: { readonly from: string; readonly to: string; readonly isOurs: (id: string) => boolean },
): { readonly file: string; readonly record: HostFileRecord } | null => {
  const newFile = relocatedPath(file, from, to)
  const moved = { ...record, madeFolders: record.madeFolders.map((folder) => relocatedPath(folder, from, to)) }
  const entries = Object.entries(record.entries).filter(
    ([id]) => isOurs(id) && isInHostFile(context, newFile, moved, id),
  )
  return entries.length === 0 ? null : { file: newFile, record: { ...moved, entries: Object.fromEntries(entries) } }
}

/** Whether removing the entries would change the file. A link is refused: a repository could point it at any file. */
const isInHostFile = (context: Context, file: string, record: HostFileRecord, id: string): boolean => {
  try {
    if (resolveRealFile(context.disk, file).file !== file) return false
    if (record.surface === 'placed-file') return pathExists(context.disk, file)
    const editor = openHostFileEditor(context, { roots: null, hosts: { files: new Map([[file, record]]) } }, 'read')
    editor.setEntries({ file, surface: record.surface, runtime: record.runtime, id, entries: [] })
    return editor.edits().length > 0 || editor.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')
  } catch (error) {
    if (error instanceof GsdError) return false
    throw error
  }
}
