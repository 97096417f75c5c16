import type { TextPatch } from '../../state/host-edit.ts'

/** Applies patches in order; null when one of them does not find the text it expects. */
export const applyPatches = (text: string, patches: readonly TextPatch[]): string | null => {
  let now = text
  for (const { offset, remove, insert } of patches) {
    if (!now.startsWith(remove, offset)) return null
    now = now.slice(0, offset) + insert + now.slice(offset + remove.length)
  }
  return now
}

/** The exact inverse of {@link applyPatches}. */
export const revertPatches = (text: string, patches: readonly TextPatch[]): string | null =>
  applyPatches(
    text,
    patches.toReversed().map(({ offset, remove, insert }) => ({ offset, remove: insert, insert: remove })),
  )

/** A patch that puts `insert` in place of the stretch from `start` to `end`. */
export const replaceRange = (text: string, start: number, end: number, insert: string): TextPatch => ({
  offset: start,
  remove: text.slice(start, end),
  insert,
})
