import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readJournal } from './journal.ts'
import { isLocked } from './lock-folder.ts'
import { findRelocatedJournal } from './relocation/relocated-journal.ts'

/**
 * What a command that may not write says of a scope: an operation is under way, or one was interrupted and waits for a
 * command that may. Null when neither. Changes nothing, waits for nothing.
 */
export const inspectJournal = (context: Context, paths: ScopePaths): Diagnostic | null => {
  const { disk, identity } = context
  const { scope, journal: file } = paths
  const moved = findRelocatedJournal(context, paths)
  if (moved !== null) {
    const text = `${quote(moved.journal.command)} was interrupted in the ${scope} scope before its folder was moved from ${quote(moved.from)}, and is neither done nor undone`
    return diagnostic('warning', 'STATE_INTERRUPTED', text, {
      scope,
      file: moved.paths.journal,
      hint: 'gsd capability doctor --fix',
    })
  }
  const found = readJournal(disk, paths)
  if (found.state === 'absent') return null
  if (isLocked(disk, paths.lock, identity)) {
    return diagnostic('info', 'STATE_BUSY', `an operation is under way in the ${scope} scope`, { scope, file })
  }
  if (found.state === 'unreadable') return found.diagnostic
  const foreign = foreignJournal(paths, found.value)
  if (foreign !== null) return foreign
  const text = `${quote(found.value.command)} was interrupted in the ${scope} scope and is neither done nor undone`
  return diagnostic('warning', 'STATE_INTERRUPTED', text, { scope, file, hint: 'gsd capability doctor --fix' })
}

/** Why a journal is not to be used here: it was written for another folder, or another scope. Null: it is ours. */
export const foreignJournal = (paths: ScopePaths, { command, root, scope }: Journal): Diagnostic | null => {
  if (root === paths.realRoot && scope === paths.scope) return null
  const text = `an interrupted ${quote(command)} belongs to ${quote(root)} (${scope}), not to ${quote(paths.realRoot)} (${paths.scope}); it is left alone`
  const { journal: file } = paths
  return diagnostic('error', 'STATE_INTERRUPTED', text, {
    file,
    scope: paths.scope,
    hint: `if that folder is gone, delete ${quote(file)}`,
  })
}
