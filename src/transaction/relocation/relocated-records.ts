import { join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { pathExists } from '../../platform/path-exists.ts'
import { resolveRealFile } from '../../platform/real-file.ts'
import { isInside } from '../../platform/real-path.ts'
import type { HostFileRecord } from '../../state/host-edit.ts'

/** Where a path of a moved folder is now; one outside of it is where it was. */
export const relocatedPath = (path: string, from: string, to: string): string =>
  isInside(path, from) ? join(to, relative(from, path)) : path

/** A record of a host's file as it reads for the folder that was moved, and in it what really stands in that file. */
export const relocatedRecord = (
  context: Context,
  { file, record }: { readonly file: string; readonly record: HostFileRecord },
  { from, to, isOurs }: { readonly from: string; readonly to: string; readonly isOurs: (id: string) => boolean },
): { readonly file: string; readonly record: HostFileRecord } | null => {
  const there = relocatedPath(file, from, to)
  const whole = { ...record, madeFolders: record.madeFolders.map((folder) => relocatedPath(folder, from, to)) }
  const entries = Object.entries(record.entries).filter(([id]) => isOurs(id) && isInHostFile(context, there, whole, id))
  return entries.length === 0 ? null : { file: there, record: { ...whole, entries: Object.fromEntries(entries) } }
}

/** Taking it out would change the file; and the file is no link to another one, which a repository might hold. */
const isInHostFile = (context: Context, file: string, record: HostFileRecord, id: string): boolean => {
  try {
    if (resolveRealFile(context.disk, file).file !== file) return false
    if (record.surface === 'placed-file') return pathExists(context.disk, file)
    const book = openHostFileEditor(context, { files: new Map([[file, record]]) }, 'look')
    book.setEntries({ file, surface: record.surface, runtime: record.runtime, id, entries: [] })
    return book.edits().length > 0 || book.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')
  } catch (error) {
    if (error instanceof GsdError) return false
    throw error
  }
}
