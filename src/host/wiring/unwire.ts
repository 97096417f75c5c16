import type { Context } from '../../context.ts'
import { pathExists } from '../../platform/disk.ts'
import type { HostFileRecord } from '../../state/host-edit.ts'
import type { HostRecords } from '../../state/host-records.ts'
import { isHook } from '../edit/host-entry.ts'
import { runtimesInRecord } from '../edit/plan-placed-file.ts'
import { RUNTIMES } from '../runtimes/built-in-runtimes.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import { findMovedHooks } from './moved-hooks.ts'

/**
 * Plans the removal of a capability from all hosts or from one, also from files to which its hooks were moved. Returns the
 * files it is removed from.
 */
export const unwire = (
  context: Context,
  hosts: HostRecords,
  hostFiles: HostFileEditor,
  id: string,
  runtime: string | null,
): readonly string[] => {
  const before = recordsOf(hosts, id)
  const own = [...before].filter(([, record]) => runtime === null || runtimesInRecord(record, id).includes(runtime))
  const gone = own.flatMap(([file, record]) =>
    (runtime === null ? runtimesInRecord(record, id) : [runtime]).map((host) =>
      hostFiles.setEntries({ file, surface: record.surface, runtime: host, id, entries: [] }),
    ),
  )
  const moved = RUNTIMES.flatMap((row) => {
    const entries = own
      .filter(([, record]) => record.runtime === row.id)
      .flatMap(([, record]) => record.entries[id] ?? [])
    if (!entries.some(isHook)) return []
    return findMovedHooks(context, hostFiles, row, entries, new Set(before.keys())).map((file) =>
      hostFiles.setEntries({
        file,
        surface: row.surface,
        runtime: row.id,
        id,
        entries: [],
        alsoRemove: entries.filter(isHook),
      }),
    )
  })
  // A placed file that was edited by hand stays: nothing is removed from it.
  const exists = (file: string): boolean =>
    pathExists(context.disk, file) && !hostFiles.edits().some((edit) => edit.file === file && edit.id === id)
  return [...new Set([...gone, ...moved])].filter((file) => !exists(file))
}

/** Host files with entries of one capability, by real path. */
export type RecordsByFile = ReadonlyMap<string, HostFileRecord>

export const recordsOf = (hosts: HostRecords, id: string): RecordsByFile =>
  new Map([...hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id)))
