import type { HostHook } from '../../state/host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { hookWarnings, refuseForeignHook } from './entry-warnings.ts'
import { insertHook } from './insert-hook.ts'
import { parseDocument } from './json-document.ts'
import type { JsonHookFormat } from './json-entries.ts'
import { findEntries } from './json-entries.ts'
import { matchHooks } from './match-hooks.ts'
import { removeEntry, spliceDocument } from './remove-entry.ts'

/**
 * Adds hooks to a JSON settings text and removes others, by offsets: every other byte stays. Each step is proven by
 * parsing before and after. Doing it twice changes nothing more.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE
 */
export const spliceJsonHooks = (text: string, format: JsonHookFormat, request: SpliceRequest): SpliceResult => {
  const document = parseDocument(text, request.file)
  const matches = matchHooks(findEntries(document.root, format), request)
  refuseForeignHook(document, matches, request)
  return {
    ...spliceDocument(document, request, {
      ...matches,
      insert: (draft, hook) => insertHook(draft, format, hook),
      remove: (draft, entry) => removeEntry(draft, format, entry),
    }),
    warnings: hookWarnings(document, matches, request),
  }
}

/** Those of the hooks that a text holds. @throws HOST_SETTINGS_UNPARSABLE */
export const findOwnHooks = (
  text: string,
  format: JsonHookFormat,
  file: string,
  hooks: readonly HostHook[],
): readonly HostHook[] => {
  const found = findEntries(parseDocument(text, file).root, format)
  const { toAdd } = matchHooks(found, { add: hooks, remove: [], recorded: [] })
  return hooks.filter((hook) => !toAdd.includes(hook))
}
