import { join, relative } from 'node:path'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { HostFileRecord } from '../../host/host-edit.ts'
import { realFileOf } from '../../host/real-file.ts'
import { isThere } from '../../store/is-there.ts'
import { openHostBook } from '../wiring/host-book.ts'

/** Where a path of a moved folder is now; one outside of it is where it was. */
export const movedPath = (path: string, from: string, to: string): string =>
  liesIn(path, from) ? join(to, relative(from, path)) : path

/** A record of a host's file as it reads for the folder that was moved, and in it what really stands in that file. */
export const movedRecord = (
  context: Context,
  { file, record }: { readonly file: string; readonly record: HostFileRecord },
  { from, to, isOurs }: { readonly from: string; readonly to: string; readonly isOurs: (id: string) => boolean },
): { readonly file: string; readonly record: HostFileRecord } | null => {
  const there = movedPath(file, from, to)
  const whole = { ...record, madeFolders: record.madeFolders.map((folder) => movedPath(folder, from, to)) }
  const entries = Object.entries(record.entries).filter(([id]) => isOurs(id) && standsIn(context, there, whole, id))
  return entries.length === 0 ? null : { file: there, record: { ...whole, entries: Object.fromEntries(entries) } }
}

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
