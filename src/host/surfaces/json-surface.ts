import { isHook } from '../entry.ts'
import type { SurfaceKind } from '../host-edit.ts'
import type { JsonSurface } from '../splice/json-surface.ts'
import { hooksHeld, spliceJson } from '../splice/json.ts'
import { only, type Surface } from './surface.ts'

/** A surface whose file is JSON: one engine, all differences as data. */
export const jsonSurface = (kind: SurfaceKind, row: JsonSurface & { readonly ownFile: boolean }): Surface => ({
  kind,
  ownFile: row.ownFile,
  mode: 0o666,
  splice: (text, request) => spliceJson(text, row, only(request, isHook)),
  holds: (text, file, entries) => hooksHeld(text, row, file, entries.filter(isHook)),
})
