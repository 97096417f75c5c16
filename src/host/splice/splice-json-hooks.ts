import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../../state/host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { insertHook } from './insert-hook.ts'
import { parseDocument, shapeError } from './json-document.ts'
import type { JsonDraft } from './json-draft.ts'
import { findEntries, type JsonEntry } from './json-entries.ts'
import type { JsonHookFormat } from './json-hook-format.ts'
import { matchEntries } from './match-hooks.ts'
import { restoreContainers, removeEntry } from './remove-entry.ts'
import { positionOf } from './text-position.ts'

/**
 * Puts hooks into a JSON settings text and takes others out, by offsets: every other byte stays. Each step is proven by
 * parsing before and after. What is there already is not added again, what is gone already is not missed.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE
 */
export const spliceJsonHooks = (text: string, surface: JsonHookFormat, request: SpliceRequest): SpliceResult => {
  const document = parseDocument(text, request.file)
  const claims = matchEntries(findEntries(document.root, surface), request)
  const [stranger] = claims.foreign
  if (stranger !== undefined && request.strict && request.recorded.length === 0 && claims.toAdd.length > 0) {
    throw shapeError(
      document,
      stranger.offset,
      `an entry that is not ours runs our script: ${quote(stranger.command)}`,
      'take that entry out, then run the command again',
    )
  }
  const start: JsonDraft = { document, patches: [], containers: request.containers }
  const filled = claims.toAdd.reduce((draft, hook) => insertHook(draft, surface, hook), start)
  const lastFirst = claims.toRemove.map(({ entry }) => entry).toSorted((a, b) => b.offset - a.offset)
  const emptied = lastFirst.reduce((draft, entry) => removeEntry(draft, surface, entry), filled)
  const done = request.remove.length > 0 ? restoreContainers(emptied, request.inUse) : emptied

  const tell = (entry: JsonEntry, what: string): Diagnostic =>
    diagnostic('warning', 'HOST_ENTRY_EDITED', `${what}: ${quote(entry.command)} in ${entry.event}`, {
      file: request.file,
      ...positionOf(text, entry.offset),
    })
  return {
    text: done.document.text,
    patches: done.patches,
    containers: done.containers,
    warnings: [
      ...claims.toRemove
        .filter(({ edited }) => edited)
        .map(({ entry }) => tell(entry, 'an entry that was edited or moved was taken out')),
      ...claims.keptEdited.map((entry) => tell(entry, 'an entry of ours was edited or moved and stays so')),
      ...(request.strict
        ? claims.foreign.map((entry) => tell(entry, 'an entry that is not ours names our script and stays'))
        : []),
    ],
  }
}

/** Those of the hooks that stand in a text. @throws HOST_SETTINGS_UNPARSABLE */
export const findOwnHooks = (
  text: string,
  surface: JsonHookFormat,
  file: string,
  hooks: readonly HostHook[],
): readonly HostHook[] => {
  const found = findEntries(parseDocument(text, file).root, surface)
  const { toAdd } = matchEntries(found, { add: hooks, remove: [], recorded: [] })
  return hooks.filter((hook) => !toAdd.includes(hook))
}
