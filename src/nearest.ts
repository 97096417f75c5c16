/**
 * The known word that a mistyped one was most likely meant to be, or null when none is near. Case does not matter; words
 * over 40 characters are never matched.
 */
export const nearestWord = (typed: string, known: readonly string[]): string | null => {
  const lower = typed.toLowerCase()
  let best: string | null = null
  let least = Math.max(1, Math.floor(lower.length / 3)) + 1
  for (const word of known) {
    const distance = editDistance(lower, word.toLowerCase())
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

const LONGEST_WORD = 40

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
const editDistance = (a: string, b: string): number => {
  if (a.length > LONGEST_WORD || b.length > LONGEST_WORD) return Infinity
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Infinity,
      )
    }
    ;[before, row] = [row, next]
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
