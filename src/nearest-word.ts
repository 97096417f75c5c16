/**
 * The known word nearest to a mistyped one, or null when none is near. Case does not matter; words over 40 characters never
 * match.
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

const MAX_WORD_LENGTH = 40

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
const editDistance = (a: string, b: string): number => {
  if (a.length > MAX_WORD_LENGTH || b.length > MAX_WORD_LENGTH) return Infinity
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        cellAt(row, j) + 1,
        cellAt(next, j - 1) + 1,
        cellAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swapped ? cellAt(before, j - 2) + 1 : Infinity,
      )
    }
    ;[before, row] = [row, next]
  }
  return cellAt(row, b.length)
}

const cellAt = (row: readonly number[], index: number): number => row[index] ?? Infinity
