import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { HostEdit, HostEntry, HostFileRecord, SurfaceKind } from '../../host/host-edit.ts'
import type { HostText } from '../../host/host-text.ts'
import { openHostFile, type HostAccess } from '../../host/open-host-file.ts'
import { planHostEdit, redoHostEdit } from '../../host/plan-edit.ts'
import { planPlacedFile, type Placement } from '../../host/plan-placed.ts'
import { SURFACES } from '../../host/surfaces/table.ts'
import { hashOfText } from '../../host/text-hash.ts'
import type { Hosts } from '../../store/hosts.ts'
import type { Change } from '../../store/journal-entry.ts'
import { record } from '../transaction/changes.ts'
import { keepOut } from './keep-out.ts'

/** One wish for one host file. */
export interface HostWish {
  /** As named; links are followed. */
  readonly file: string
  readonly surface: SurfaceKind
  readonly runtime: string
  readonly id: string
  /** Every entry of the capability that is to stand in this file afterwards. */
  readonly entries: readonly HostEntry[]
  /** Entries to be gone, although the record does not have them in this file. */
  readonly also?: readonly HostEntry[]
  /** What a file of our own is to say; without it such a file goes. */
  readonly placement?: Placement
}

/** The host files an operation touches, read once, edited in mind only, each edit on what the one before it left. */
export interface HostBook {
  /** Plans that exactly `entries` of the capability stand in the file. Returns the file's real path. */
  readonly wish: (wish: HostWish) => string
  /** Which of these entries stand in a file, recorded or not; none where it cannot be read or understood. */
  readonly holds: (file: string, surface: SurfaceKind, entries: readonly HostEntry[]) => readonly HostEntry[]
  readonly edits: () => readonly HostEdit[]
  /** Real path → what `hosts.json` has before and is to have after, where the two differ. */
  readonly records: () => ReadonlyMap<
    string,
    { readonly before: HostFileRecord | null; readonly after: HostFileRecord | null }
  >
  readonly warnings: () => readonly Diagnostic[]
}

/** @throws HOST_* from the first file that cannot be read, understood or, for a change, written */
export const openHostBook = (context: Context, hosts: Hosts, access: HostAccess = 'change'): HostBook => {
  const texts = new Map<string, HostText>()
  const records = new Map<string, HostFileRecord | null>()
  const edits: HostEdit[] = []
  const warnings: Diagnostic[] = []

  const read = (file: string): HostText => {
    const host = openHostFile(context.disk, file, access)
    return texts.get(host.file) ?? host
  }
  const recordOf = (file: string): HostFileRecord | null =>
    records.get(file) ?? (records.has(file) ? null : (hosts.files.get(file) ?? null))

  let made: ReadonlySet<string> | null = null
  /** Folders that were made for other files of ours and hold this one too: whichever file leaves last takes them along. */
  const madeAbove = (file: string): string[] => {
    made ??= new Set([...hosts.files.values()].flatMap(({ madeFolders }) => madeFolders))
    const parent = dirname(file)
    return parent === file ? [] : [...madeAbove(parent), ...(made.has(parent) ? [parent] : [])]
  }

  const requireElsewhere = keepOut(context)

  const wish = (wanted: HostWish): string => {
    const host = read(wanted.file)
    const known = recordOf(host.file)
    if (wanted.entries.length > 0 || wanted.placement !== undefined) requireElsewhere(wanted.file, host.file)
    const missingFolders = known === null ? [...madeAbove(host.file), ...host.missingFolders] : host.missingFolders
    const planned = planWish({ ...host, missingFolders }, known, wanted)
    // What the host cannot read matters to an entry that is to run, not to one that goes.
    const stays = wanted.entries.length > 0
    warnings.push(...planned.warnings.filter(({ code }) => stays || code !== 'HOST_SYNTAX_NOT_READ'))
    if (planned.edit.patches.length > 0) edits.push(planned.edit)
    const text = redoHostEdit(host.text, planned.edit)
    texts.set(host.file, {
      ...host,
      text,
      hash: hashOfText(text),
      missingFolders: text === null ? host.missingFolders : [],
    })
    records.set(host.file, planned.edit.recordAfter)
    return host.file
  }

  const holds: HostBook['holds'] = (file, surface, entries) => {
    try {
      const { text, file: real } = read(file)
      return text === null ? [] : (SURFACES[surface].holds?.(text, real, entries) ?? [])
    } catch (error) {
      if (error instanceof GsdError) return []
      throw error
    }
  }

  return {
    wish,
    holds,
    edits: () => edits,
    records: () =>
      new Map(
        [...records]
          .map(([file, after]) => [file, { before: hosts.files.get(file) ?? null, after }] as const)
          .filter(([, { before, after }]) => JSON.stringify(before) !== JSON.stringify(after)),
      ),
    warnings: () => warnings,
  }
}

/** What a wish comes to on the file as it is now. */
const planWish = (
  host: HostText,
  known: HostFileRecord | null,
  { surface, runtime, id, entries, also = [], placement }: HostWish,
): ReturnType<typeof planHostEdit> => {
  if (surface === 'placed-file') return planPlacedFile({ host, runtime, id, wanted: placement ?? null, record: known })
  const remove = known !== null && Object.hasOwn(known.entries, id) ? (known.entries[id] ?? []) : []
  return planHostEdit({ host, surface, runtime, id, add: entries, remove: [...remove, ...also], record: known })
}

/** Edits of host files and what `hosts.json` is to say of them. */
export const hostChanges = (book: HostBook): readonly Change[] => [
  ...book.edits().map((edit): Change => ({ kind: 'host', edit })),
  ...[...book.records()].map(([file, { before, after }]) => record('hosts', ['files', file], before, after)),
]
