import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { HostFileRecord, SurfaceKind } from '../../state/host-edit.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { ScopeState } from '../../state/scope-state.ts'
import { openHostFile } from '../edit/open-host-file.ts'
import { isUnmodified } from '../edit/plan-placed-file.ts'
import { findLinkOut } from '../edit/project-links.ts'
import { SURFACES } from '../surfaces/surfaces.ts'
import { openHostFileEditor } from './host-file-editor.ts'

/** How a host's file compares with what was written there. `linked`: a link of the project leads it out, or nowhere. */
export type HostFileStatus = 'ok' | 'missing' | 'edited' | 'unreadable' | 'linked' | 'leads elsewhere'

/** Plans the recorded entries for a file: it is as recorded if nothing would change. */
export const checkHostFile = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  { file, record, id }: { readonly file: string; readonly record: HostFileRecord; readonly id: string },
): HostFileStatus => {
  if (findLinkOut(context.disk, paths, file) !== null) return 'linked'
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords }, 'read')
  try {
    if (record.surface === 'placed-file') {
      const host = openHostFile(context.disk, file, 'read')
      return host.text === null ? 'missing' : isUnmodified(host, record, id) ? 'ok' : 'edited'
    }
    hostFiles.setEntries({
      file,
      surface: record.surface,
      runtime: record.runtime,
      id,
      entries: record.entries[id] ?? [],
    })
    if (hostFiles.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')) return 'edited'
    if (hostFiles.edits().length > 0) return 'missing'
    return hasExecutableBit(openHostFile(context.disk, file, 'read').mode, record.surface) ? 'ok' : 'edited'
  } catch (error) {
    if (error instanceof GsdError) return 'unreadable'
    throw error
  }
}

/** A file that the host runs has no effect without its executable bit. */
const hasExecutableBit = (mode: number | null, surface: SurfaceKind): boolean =>
  (SURFACES[surface].mode & 0o100) === 0 || mode === null || (mode & 0o100) !== 0
