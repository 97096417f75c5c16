import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { HostFileRecord, SurfaceKind } from '../../host/host-edit.ts'
import { openHostFile } from '../../host/open-host-file.ts'
import { isAsPlaced } from '../../host/plan-placed.ts'
import { SURFACES } from '../../host/surfaces/table.ts'
import type { ScopeState } from '../installed/scope-state.ts'
import { openHostBook } from './host-book.ts'

/** How what stands in a host's file compares with what was written there. */
export type HostState = 'ok' | 'missing' | 'edited' | 'unreadable' | 'leads elsewhere'

/** Plans that everything stands in a file as recorded: where that is no change, it does. */
export const hostState = (
  context: Context,
  state: ScopeState,
  { file, record, id }: { readonly file: string; readonly record: HostFileRecord; readonly id: string },
): HostState => {
  const book = openHostBook(context, state.hosts, 'look')
  try {
    if (record.surface === 'placed-file') {
      const host = openHostFile(context.disk, file, 'look')
      return host.text === null ? 'missing' : isAsPlaced(host, record, id) ? 'ok' : 'edited'
    }
    book.wish({ file, surface: record.surface, runtime: record.runtime, id, entries: record.entries[id] ?? [] })
    if (book.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')) return 'edited'
    if (book.edits().length > 0) return 'missing'
    return hasItsBit(openHostFile(context.disk, file, 'look').mode, record.surface) ? 'ok' : 'edited'
  } catch (error) {
    if (error instanceof GsdError) return 'unreadable'
    throw error
  }
}

/** A file that the host itself is to run does nothing once it cannot be executed, whatever it says. */
const hasItsBit = (mode: number | null, surface: SurfaceKind): boolean =>
  (SURFACES[surface].mode & 0o100) === 0 || mode === null || (mode & 0o100) !== 0
