import type { TomlTable } from 'smol-toml'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostHook, TextPatch } from '../../state/host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { shapeError } from './json-document.ts'
import { matchEntries } from './match-hooks.ts'
import { applyPatches } from './text-patch.ts'
import { positionOf } from './text-position.ts'
import { parseTomlDocument, parseTomlPath, type TomlDocument, tomlOutline } from './toml-document.ts'
import { findFences, insertInFence } from './toml-fence.ts'
import { findTomlHooks, renderTomlHook, type TomlHook, toTomlTable } from './toml-hook-tables.ts'
import { removeBlocks } from './toml-remove.ts'

/**
 * Puts `[[hooks]]` tables into a TOML text, inside a fence of comments at its end, and takes them out again, wherever
 * they stand now. Proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE (also for a fence that is not whole)
 */
export const spliceTomlHooks = (text: string, request: SpliceRequest): SpliceResult => {
  const document = parseTomlDocument(text, request.file)
  const fences = findFences(document)
  const hooks = requireHookTables(document, request)
  const { toRemove, toAdd, keptEdited, foreign } = matchEntries(hooks, request)
  const [stranger] = foreign
  if (stranger !== undefined && request.strict && request.recorded.length === 0 && toAdd.length > 0) {
    throw shapeError(
      document,
      stranger.offset,
      `a hook that is not ours runs our script: ${quote(stranger.command)}`,
      'take it out, then run the command again',
    )
  }
  const own = fences.find(({ id }) => id === request.id)
  const gone = toRemove.map(({ entry }) => entry)
  const insertion = toAdd.length === 0 ? null : insertInFence(document, own, request.id, toAdd.flatMap(renderTomlHook))
  const cuts = removeBlocks(document, fences, gone, insertion === null ? null : (own ?? null))
  const patches = [...(insertion === null ? [] : [insertion]), ...cuts].toSorted((a, b) => b.offset - a.offset)
  const after = applyPatches(text, patches)
  if (
    after === null ||
    outlineWithHooks(parseTomlDocument(after, request.file).table) !==
      expectedOutline(document, hooks, gone, insertion, toAdd)
  ) {
    throw new GsdError('INTERNAL_ERROR', `the edit of ${request.file} could not be proven right; nothing was written`)
  }
  const tell = (entry: TomlHook, what: string): Diagnostic =>
    diagnostic('warning', 'HOST_ENTRY_EDITED', `${what}: ${quote(entry.command)} in ${entry.event}`, {
      file: request.file,
      ...positionOf(text, entry.offset),
    })
  return {
    text: after,
    patches,
    containers: [],
    warnings: [
      ...toRemove
        .filter(({ edited }) => edited)
        .map(({ entry }) => tell(entry, 'an entry that was edited or moved was taken out')),
      ...keptEdited.map((entry) => tell(entry, 'an entry of ours was edited or moved and stays so')),
      ...(request.strict
        ? foreign.map((entry) => tell(entry, 'an entry that is not ours names our script and stays'))
        : []),
    ],
  }
}

/** Another form of `hooks` is in the way of adding, and of removing where our script is named in it. */
const requireHookTables = (document: TomlDocument, { add, remove }: SpliceRequest): TomlHook[] => {
  const hooks = findTomlHooks(document)
  if (hooks !== null) return hooks
  if (add.length === 0 && !remove.some(({ script }) => document.text.includes(script))) return []
  const { items, text, table } = document
  const place = items.find((item) => item.kind !== 'comment' && parseTomlPath(text, item)[0] === 'hooks')
  const isEmpty = Array.isArray(table['hooks']) && table['hooks'].length === 0
  throw shapeError(
    document,
    place?.start ?? 0,
    '"hooks" is not written as [[hooks]] tables',
    isEmpty ? 'take this line out: it says the same as no line' : 'write each hook as a [[hooks]] table',
  )
}

const outlineWithHooks = ({ hooks, ...rest }: TomlTable): string =>
  `${tomlOutline(rest)} ${Array.isArray(hooks) ? hooks.map(tomlOutline).join() : ''}`

const expectedOutline = (
  { table }: TomlDocument,
  hooks: readonly TomlHook[],
  gone: readonly TomlHook[],
  insertion: TextPatch | null,
  missing: readonly HostHook[],
): string => {
  const { hooks: _before, ...rest } = table
  const stay = hooks.filter((hook) => !gone.includes(hook)).map(({ offset, value }) => ({ offset, value }))
  const added = missing.map((hook) => ({ offset: insertion?.offset ?? 0, value: toTomlTable(hook) }))
  const all = [...stay, ...added].toSorted((a, b) => a.offset - b.offset)
  return outlineWithHooks({ ...rest, hooks: all.map(({ value }) => value) })
}
