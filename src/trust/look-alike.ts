/** An existing name that another one can be confused with. */
export interface LookAlike {
  /** The existing name. */
  readonly resembles: string
  /** A clause: `reads like it`, `is one letter off`. */
  readonly reason: string
}

/**
 * Finds a known name that a new one can be confused with, or null: similar letters, other hyphens, one letter added,
 * removed, changed or swapped in a longer name, or the known name with a suffix after a hyphen. Names are lower-case ASCII
 * (rules 1, 24 and 25).
 */
export const findLookAlike = (name: string, known: readonly string[]): LookAlike | null => {
  const others = known.filter((other) => other !== name)
  const skeleton = skeletonOf(name)
  const twin = others.find((other) => skeletonOf(other) === skeleton)
  if (twin !== undefined) return { resembles: twin, reason: 'reads like it' }
  const near = others.find(
    (other) => Math.min(other.length, name.length) >= MIN_EDIT_LENGTH && isOneEditOff(skeleton, skeletonOf(other)),
  )
  if (near !== undefined) return { resembles: near, reason: 'is one letter off' }
  const parent = others.find((other) => name.startsWith(`${other}-`) || name.startsWith(`${other}_`))
  return parent === undefined ? null : { resembles: parent, reason: 'reads as if it belonged to it' }
}

/** In shorter names one letter makes a different word. */
const MIN_EDIT_LENGTH = 5

/** The name with one letter for all similar letters and without separators. */
const skeletonOf = (name: string): string =>
  name
    .replaceAll(/[-_]/g, '')
    .replaceAll(/[1i|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replaceAll('2', 'z')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')

/** One letter added, removed or changed, or two neighbours swapped. */
const isOneEditOff = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  const other = short.slice(at + 1) === long.slice(at + 1)
  const swapped = short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  return other || swapped
}
