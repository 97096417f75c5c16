import type { Diagnostic } from '../../src/diagnostic.ts'
import { applyHostEdit } from '../../src/host/edit/apply-edit.ts'
import type { HostFileContent } from '../../src/host/edit/open-host-file.ts'
import { planHostEdit } from '../../src/host/edit/plan-edit.ts'
import { hashOfText } from '../../src/platform/hash.ts'
import type { HostEdit, HostEntry, HostFileRecord, HostHook, SurfaceKind } from '../../src/state/host-edit.ts'

/** A host's file in memory, with its record in `hosts.json`. */
export interface HostState {
  readonly text: string | null
  readonly record: HostFileRecord | null
}

export interface HostEditResult extends HostState {
  readonly edit: HostEdit
  readonly warnings: readonly Diagnostic[]
}

export interface HostEditOptions {
  readonly id: string
  readonly add?: readonly HostEntry[]
  readonly remove?: readonly HostEntry[]
  readonly surface?: SurfaceKind
  readonly runtime?: string
}

export const hostText = (text: string | null): HostFileContent => ({
  file: '/home/u/.claude/settings.json',
  text,
  hash: hashOfText(text),
  mode: text === null ? null : 0o644,
  missingFolders: [],
})

/** Plans an edit and applies it. */
export const planAndApply = (
  state: HostState,
  { id, add = [], remove = [], surface = 'settings-json', runtime = 'claude' }: HostEditOptions,
): HostEditResult => {
  const { edit, warnings } = planHostEdit({
    host: hostText(state.text),
    surface,
    runtime,
    id,
    add,
    remove,
    record: state.record,
  })
  return { text: applyHostEdit(state.text, edit), record: edit.recordAfter, edit, warnings }
}

/** A hook of a capability, with the script path of an installed one. */
export const hookOf = (id: string, event: string, rest: Partial<HostHook> = {}): HostHook => {
  const script = `/home/u/.gsd/capabilities/${id}/hooks/run.sh`
  return { event, command: `'${script}'`, script, ...rest }
}
