import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { claimEntries } from './claim.ts'
import { parseDocument, wrongShape } from './document.ts'
import type { Draft } from './draft.ts'
import { entriesOf, type Entry } from './entries.ts'
import { insertHook } from './insert.ts'
import type { JsonSurface } from './json-surface.ts'
import { positionOf } from './position.ts'
import { sweepContainers, withdrawEntry } from './withdraw.ts'

/**
 * Puts hooks into a JSON settings text and takes others out, by offsets: every other byte stays. Each step is proven by
 * parsing before and after. What is there already is not added again, what is gone already is not missed.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE
 */
export const spliceJson = (text: string, surface: JsonSurface, request: SpliceRequest): SpliceResult => {
  const document = parseDocument(text, request.file)
  const claims = claimEntries(entriesOf(document.root, surface), request)
  const [stranger] = claims.foreign
  if (stranger !== undefined && request.strict && request.recorded.length === 0 && claims.missing.length > 0) {
    throw wrongShape(
      document,
      stranger.offset,
      `an entry that is not ours runs our script: ${quote(stranger.command)}`,
      'take that entry out, then run the command again',
    )
  }
  const start: Draft = { document, patches: [], containers: request.containers }
  const filled = claims.missing.reduce((draft, hook) => insertHook(draft, surface, hook), start)
  const lastFirst = claims.going.map(({ entry }) => entry).toSorted((a, b) => b.offset - a.offset)
  const emptied = lastFirst.reduce((draft, entry) => withdrawEntry(draft, surface, entry), filled)
  const done = request.remove.length > 0 ? sweepContainers(emptied, request.inUse) : emptied

  const tell = (entry: Entry, what: string): Diagnostic =>
    diagnostic('warning', 'HOST_ENTRY_EDITED', `${what}: ${quote(entry.command)} in ${entry.event}`, {
      file: request.file,
      ...positionOf(text, entry.offset),
    })
  return {
    text: done.document.text,
    patches: done.patches,
    containers: done.containers,
    warnings: [
      ...claims.going
        .filter(({ edited }) => edited)
        .map(({ entry }) => tell(entry, 'an entry that was edited or moved was taken out')),
      ...claims.editedStaying.map((entry) => tell(entry, 'an entry of ours was edited or moved and stays so')),
      ...(request.strict
        ? claims.foreign.map((entry) => tell(entry, 'an entry that is not ours names our script and stays'))
        : []),
    ],
  }
}

/** Those of the hooks that stand in a text. @throws HOST_SETTINGS_UNPARSABLE */
export const hooksHeld = (
  text: string,
  surface: JsonSurface,
  file: string,
  hooks: readonly HostHook[],
): readonly HostHook[] => {
  const found = entriesOf(parseDocument(text, file).root, surface)
  const { missing } = claimEntries(found, { add: hooks, remove: [], recorded: [] })
  return hooks.filter((hook) => !missing.includes(hook))
}
