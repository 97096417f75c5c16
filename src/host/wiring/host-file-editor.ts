import { dirname, sep } from 'node:path'
import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { hashOfText } from '../../platform/hash.ts'
import { resolveRealFile } from '../../platform/real-path.ts'
import { quote } from '../../redact.ts'
import type { Change } from '../../state/change.ts'
import { recordChange } from '../../state/change.ts'
import type { HostEdit, HostEntry, HostFileRecord, SurfaceKind } from '../../state/host-edit.ts'
import type { HostRecords } from '../../state/host-records.ts'
import { applyHostEdit } from '../edit/apply-edit.ts'
import type { HostFileContent } from '../edit/open-host-file.ts'
import { type HostAccess, openHostFile } from '../edit/open-host-file.ts'
import { planHostEdit } from '../edit/plan-edit.ts'
import { type Placement, planPlacedFile } from '../edit/plan-placed-file.ts'
import { findLinkOut, type ScopeRoots } from '../edit/project-links.ts'
import { SURFACES } from '../surfaces/surfaces.ts'

/** What one capability is to have in one host file. */
export interface DesiredHostFile {
  /** As named; links are followed. */
  readonly file: string
  readonly surface: SurfaceKind
  readonly runtime: string
  readonly id: string
  /** Every entry of the capability that this file is to hold. */
  readonly entries: readonly HostEntry[]
  /** More entries to remove, which the record does not have in this file. */
  readonly alsoRemove?: readonly HostEntry[]
  /** What is there already exactly as desired is ours: the ledger has the capability, only the record is missing. */
  readonly adopt?: boolean
  /** Content of a placed file; without it such a file is removed. */
  readonly placement?: Placement
}

/** The host files of an operation: each is read once, and every edit is planned on the result of the one before. */
export interface HostFileEditor {
  /** Plans that the file holds exactly `entries` of the capability. Returns its real path. */
  readonly setEntries: (desired: DesiredHostFile) => string
  /** Which of these entries a file holds, recorded or not; none where it cannot be read or parsed. */
  readonly findEntries: (file: string, surface: SurfaceKind, entries: readonly HostEntry[]) => readonly HostEntry[]
  readonly edits: () => readonly HostEdit[]
  /** Real path → what `hosts.json` has before and is to have after, where the two differ. */
  readonly records: () => ReadonlyMap<
    string,
    { readonly before: HostFileRecord | null; readonly after: HostFileRecord | null }
  >
  readonly warnings: () => readonly Diagnostic[]
}

/** The host files that the program knows of in a scope, and the folder of that scope. */
export interface EditedScope {
  /** Null: for a file of which the caller knows that no link leads to it. */
  readonly roots: ScopeRoots | null
  readonly hosts: HostRecords
}

/** @throws HOST_* from the first file that cannot be read, understood or, for a change, written */
export const openHostFileEditor = (
  context: Context,
  scope: EditedScope,
  access: HostAccess = 'change',
): HostFileEditor => {
  const { roots, hosts } = scope
  const texts = new Map<string, HostFileContent>()
  const records = new Map<string, HostFileRecord | null>()
  const edits: HostEdit[] = []
  const warnings: Diagnostic[] = []

  const read = (file: string): HostFileContent => {
    const host = openHostFile(context.disk, file, access)
    return texts.get(host.file) ?? host
  }
  const recordOf = (file: string): HostFileRecord | null =>
    records.get(file) ?? (records.has(file) ? null : (hosts.files.get(file) ?? null))

  let made: ReadonlySet<string> | null = null
  /** Folders created for other files of ours that hold this one too: they are removed with the last file. */
  const madeAbove = (file: string): string[] => {
    made ??= new Set([...hosts.files.values()].flatMap(({ madeFolders }) => madeFolders))
    const parent = dirname(file)
    return parent === file ? [] : [...madeAbove(parent), ...(made.has(parent) ? [parent] : [])]
  }

  const requireElsewhere = ownFolderGuard(context)

  /** Where a link of the project stands in the way now, nothing of ours can be removed: only the record goes. */
  const forgetLinked = (unwanted: DesiredHostFile, { message }: GsdError): string => {
    const { file, id } = unwanted
    const known = recordOf(file)
    const gone: HostFileContent = { file, text: null, hash: null, mode: null, missingFolders: [] }
    if (known !== null) records.set(file, planDesiredFile(gone, known, unwanted).edit.recordAfter)
    const hint = `nothing was changed there: remove the link, then remove what is left of ${id} by hand`
    warnings.push(diagnostic('warning', 'HOST_LINKED', message, { id, file, hint }))
    return file
  }

  const setEntries = (wanted: DesiredHostFile): string => {
    const isRemoval = wanted.entries.length === 0 && wanted.placement === undefined
    const link = roots === null ? null : findLinkOut(context.disk, roots, wanted.file)
    if (link !== null && !isRemoval) throw link
    if (link !== null) return forgetLinked(wanted, link)
    const host = read(wanted.file)
    const known = recordOf(host.file)
    if (!isRemoval) requireElsewhere(wanted.file, host.file)
    const missingFolders = known === null ? [...madeAbove(host.file), ...host.missingFolders] : host.missingFolders
    const planned = planDesiredFile({ ...host, missingFolders }, known, wanted)
    // Syntax the host cannot read matters only if an entry is to run.
    const exists = wanted.entries.length > 0
    warnings.push(...planned.warnings.filter(({ code }) => exists || code !== 'HOST_SYNTAX_NOT_READ'))
    if (planned.edit.patches.length > 0) edits.push(planned.edit)
    const text = applyHostEdit(host.text, planned.edit)
    texts.set(host.file, {
      ...host,
      text,
      hash: hashOfText(text),
      missingFolders: text === null ? host.missingFolders : [],
    })
    records.set(host.file, planned.edit.recordAfter)
    return host.file
  }

  const findEntries: HostFileEditor['findEntries'] = (file, surface, entries) => {
    try {
      const { text, file: real } = read(file)
      return text === null ? [] : (SURFACES[surface].findEntries?.(text, real, entries) ?? [])
    } catch (error) {
      if (error instanceof GsdError) return []
      throw error
    }
  }

  return {
    setEntries,
    findEntries,
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

/** The edit that makes the file as desired. */
const planDesiredFile = (
  host: HostFileContent,
  known: HostFileRecord | null,
  { surface, runtime, id, entries, alsoRemove = [], placement, adopt = false }: DesiredHostFile,
): ReturnType<typeof planHostEdit> => {
  if (surface === 'placed-file')
    return planPlacedFile({ host, runtime, id, desired: placement ?? null, record: known, adopt })
  const remove = known !== null && Object.hasOwn(known.entries, id) ? (known.entries[id] ?? []) : []
  return planHostEdit({
    host,
    surface,
    runtime,
    id,
    add: entries,
    remove: [...remove, ...alsoRemove],
    record: known,
    adopt,
  })
}

/** The edits of host files, and the records of them for `hosts.json`. */
export const hostChanges = (hostFiles: HostFileEditor): readonly Change[] => [
  ...hostFiles.edits().map((edit): Change => ({ kind: 'host', edit })),
  ...[...hostFiles.records()].map(([file, { before, after }]) => recordChange('hosts', ['files', file], before, after)),
]

/**
 * Refuses a host file inside a `.gsd`: the program's own state is there, and an operation would change it twice.
 * @throws HOST_SETTINGS_FILE
 */
export const ownFolderGuard = ({ disk, user, global, project }: Context): ((path: string, real: string) => void) => {
  const folders = [user.gsd, global.gsd, ...(project === null ? [] : [project.gsd])]
  let own: readonly string[] | null = null
  return (path, real) => {
    own ??= [...new Set(folders)].map((folder) => resolveRealFile(disk, folder).file + sep)
    if (!own.some((folder) => real.startsWith(folder))) return
    const [way, remedy] =
      path === real ? ['is', 'name another file'] : [`leads to ${quote(real)},`, 'put a regular file in its place']
    throw new GsdError('HOST_SETTINGS_FILE', `${quote(path)} ${way} where this program keeps its own files`, {
      hint: `${remedy}, then run the command again; nothing was written`,
      details: { file: path, real },
    })
  }
}
