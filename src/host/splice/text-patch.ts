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

/** Where the line at `offset` begins; a BOM is not part of a line. CR LF, LF and CR end one. */
export const lineStart = (text: string, offset: number): number => {
  const start = offset === 0 ? 0 : Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return start === 0 && offset > 0 && text.startsWith('\uFEFF') ? 1 : start
}

/** Line and column of an offset: both 1-based, the column in UTF-16 code units. */
export const positionOf = (text: string, offset: number): { readonly line: number; readonly column: number } => ({
  line: (text.slice(0, offset).match(/\r\n|\n|\r/g)?.length ?? 0) + 1,
  column: offset - lineStart(text, offset) + 1,
})
