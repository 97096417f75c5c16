import type { Diagnostic } from '../../src/diagnostic.ts'
import type { HostEdit, HostEntry, HostFileRecord, HostHook, SurfaceKind } from '../../src/host/host-edit.ts'
import type { HostText } from '../../src/host/host-text.ts'
import { planHostEdit, redoHostEdit } from '../../src/host/plan-edit.ts'
import { hashOfText } from '../../src/host/text-hash.ts'

/** A host's file in memory, with what `hosts.json` knows of it. */
export interface HostState {
  readonly text: string | null
  readonly record: HostFileRecord | null
}

export interface Turn extends HostState {
  readonly edit: HostEdit
  readonly warnings: readonly Diagnostic[]
}

export interface TurnOptions {
  readonly id: string
  readonly add?: readonly HostEntry[]
  readonly remove?: readonly HostEntry[]
  readonly surface?: SurfaceKind
  readonly runtime?: string
}

export const hostText = (text: string | null): HostText => ({
  file: '/home/u/.claude/settings.json',
  text,
  hash: hashOfText(text),
  mode: text === null ? null : 0o644,
  missingFolders: [],
})

/** Plans an edit and does it. */
export const turn = (
  state: HostState,
  { id, add = [], remove = [], surface = 'settings-json', runtime = 'claude' }: TurnOptions,
): Turn => {
  const { edit, warnings } = planHostEdit({
    host: hostText(state.text),
    surface,
    runtime,
    id,
    add,
    remove,
    record: state.record,
  })
  return { text: redoHostEdit(state.text, edit), record: edit.recordAfter, edit, warnings }
}

/** A hook of a capability, whose script lies where an installed one would. */
export const hookOf = (id: string, event: string, rest: Partial<HostHook> = {}): HostHook => {
  const script = `/home/u/.gsd/capabilities/${id}/hooks/run.sh`
  return { event, command: `'${script}'`, script, ...rest }
}
