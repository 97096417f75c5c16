import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readJournal } from './journal.ts'
import { isLocked } from './lock-folder.ts'
import { findRelocatedJournal } from './relocation/relocated-journal.ts'

/**
 * For a command that may not write: reports that an operation is running in a scope, or was interrupted. Null when neither.
 * Changes nothing and never waits.
 */
export const inspectJournal = (context: Context, paths: ScopePaths): Diagnostic | null => {
  const { disk, identity } = context
  const { scope, journal: file } = paths
  const relocated = findRelocatedJournal(context, paths)
  if (relocated !== null) {
    const text = `${quote(relocated.journal.command)} was interrupted in the ${scope} scope before its folder was moved from ${quote(relocated.from)}; it is neither finished nor undone`
    return diagnostic('warning', 'STATE_INTERRUPTED', text, {
      scope,
      file: relocated.paths.journal,
      hint: 'gsd capability doctor --fix',
    })
  }
  const found = readJournal(disk, paths)
  if (found.state === 'absent') return null
  if (isLocked(disk, paths.lock, identity)) {
    return diagnostic('info', 'STATE_BUSY', `an operation is running in the ${scope} scope`, { scope, file })
  }
  if (found.state === 'unreadable') return found.diagnostic
  const foreign = foreignJournal(paths, found.value)
  if (foreign !== null) return foreign
  const text = `${quote(found.value.command)} was interrupted in the ${scope} scope; it is neither finished nor undone`
  return diagnostic('warning', 'STATE_INTERRUPTED', text, { scope, file, hint: 'gsd capability doctor --fix' })
}

/** Why a journal must not be used here: it was written for another folder or scope. Null when it belongs here. */
export const foreignJournal = (paths: ScopePaths, { command, root, scope }: Journal): Diagnostic | null => {
  if (root === paths.realRoot && scope === paths.scope) return null
  const text = `an interrupted ${quote(command)} belongs to ${quote(root)} (${scope}), not to ${quote(paths.realRoot)} (${paths.scope}); it is not used`
  const { journal: file } = paths
  return diagnostic('error', 'STATE_INTERRUPTED', text, {
    file,
    scope: paths.scope,
    hint: `if that folder no longer exists, delete ${quote(file)}`,
  })
}
