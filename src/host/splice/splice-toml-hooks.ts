import type { TomlTable } from 'smol-toml'
import type { HostHook, TextPatch } from '../../state/host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { hookWarnings, refuseForeignHook } from './entry-warnings.ts'
import { shapeError } from './json-document.ts'
import { matchHooks } from './match-hooks.ts'
import { spliceBlocks } from './toml-blocks.ts'
import { parseTomlDocument, parseTomlPath, type TomlDocument, tomlOutline } from './toml-document.ts'
import { findTomlHooks, renderTomlHook, type TomlHook, toTomlTable } from './toml-hook-tables.ts'

/**
 * Adds `[[hooks]]` tables to a TOML text, inside a fence of comments at its end, and removes them wherever they are now.
 * Proven by parsing before and after.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE (also for an incomplete fence)
 */
export const spliceTomlHooks = (text: string, request: SpliceRequest): SpliceResult => {
  const document = parseTomlDocument(text, request.file)
  const hooks = requireHookTables(document, request)
  const matches = matchHooks(hooks, request)
  refuseForeignHook(document, matches, request)
  const gone = matches.toRemove.map(({ found }) => found)
  return {
    ...spliceBlocks(document, request.id, {
      lines: matches.toAdd.flatMap(renderTomlHook),
      gone,
      outline: outlineWithHooks,
      expected: (insertion) => expectedOutline(document, hooks, gone, insertion, matches.toAdd),
    }),
    warnings: hookWarnings(document, matches, request),
  }
}

/** Another form of `hooks` prevents adding, and removing where it names our script. */
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
    isEmpty ? 'remove this line: an empty list means the same as no list' : 'write each hook as a [[hooks]] table',
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
