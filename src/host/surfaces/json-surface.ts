import type { SurfaceKind } from '../../state/host-edit.ts'
import { isHook } from '../edit/host-entry.ts'
import type { JsonHookFormat } from '../splice/json-hook-format.ts'
import { findOwnHooks, spliceJsonHooks } from '../splice/splice-json-hooks.ts'
import { onlyEntries, type Surface } from './surface.ts'

/** A surface whose file is JSON: one engine, all differences as data. */
export const jsonSurface = (kind: SurfaceKind, row: JsonHookFormat & { readonly ownFile: boolean }): Surface => ({
  kind,
  ownFile: row.ownFile,
  mode: 0o666,
  splice: (text, request) => spliceJsonHooks(text, row, onlyEntries(request, isHook)),
  findEntries: (text, file, entries) => findOwnHooks(text, row, file, entries.filter(isHook)),
})
