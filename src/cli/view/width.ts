const ZERO = /^[\p{M}\p{Cf}]$/u
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u
const ASCII = /^[ -~]*$/

/** Columns that a text without control characters takes on a terminal. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

/** The text cut to at most `width` columns, with `…` where something is missing. */
export const cutTo = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let taken = ''
  let used = 0
  for (const character of text) {
    used += characterWidth(character)
    if (used > width - 1) break
    taken += character
  }
  return `${taken}…`
}

const characterWidth = (character: string): number => (ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1)
