/**
 * The candidate a mistyped word most likely meant, or null when none is near: at most one edit per three characters
 * (two at least from five characters on), a swap of neighbours counting as one. Ties go to the first candidate.
 */
export const nearest = (word: string, candidates: Iterable<string>): string | null => {
  const typed = word.toLowerCase()
  if (typed.length > LONGEST_WORD) return null
  let best: string | null = null
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase(), allowance(typed, candidate))
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

const LONGEST_WORD = 64

const allowance = (word: string, candidate: string): number => {
  const length = Math.max(word.length, candidate.length)
  return length < 3 ? 1 : length < 5 ? 1 : Math.max(2, Math.floor(length / 3))
}

/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; Infinity when more than `most`. */
const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return Infinity
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  const distance = at(last, b.length)
  return distance > most ? Infinity : distance
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
