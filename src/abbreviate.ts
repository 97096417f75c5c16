import type { Diagnostic } from './diagnostic.ts'

/** As many of one kind as a person reads; a folder with 100,000 entries must not fill the answer. */
export const MAX_SHOWN = 50

/** `and 99,950 more` */
export const andMore = (count: number): string => `and ${count.toLocaleString('en-US')} more`

/**
 * Shortens a list of findings: of each severity, code and scope the first 50 remain, in their order, and one more in place
 * of the rest says how many those are.
 */
export const abbreviateFindings = <T extends Diagnostic>(findings: readonly T[]): readonly T[] => {
  if (findings.length <= MAX_SHOWN + 1) return findings
  const total = new Map<string, number>()
  for (const finding of findings) total.set(kindOf(finding), (total.get(kindOf(finding)) ?? 0) + 1)
  const seen = new Map<string, number>()
  return findings.flatMap((finding) => {
    const kind = kindOf(finding)
    const count = (seen.get(kind) ?? 0) + 1
    seen.set(kind, count)
    const all = total.get(kind) ?? 0
    // One more than the limit needs no summary, and a list that was shortened before stays as it is.
    if (all <= MAX_SHOWN + 1 || count <= MAX_SHOWN) return [finding]
    return count === MAX_SHOWN + 1 ? [restOf(finding, all - MAX_SHOWN)] : []
  })
}

const kindOf = ({ severity, code, scope }: Diagnostic): string => `${severity} ${code} ${scope ?? ''}`

/** Says how many follow; without what is true of one of them only. */
const restOf = <T extends Diagnostic>(finding: T, more: number): T => {
  const { id: _id, file: _file, line: _line, column: _column, path: _path, hint: _hint, ...rest } = finding
  return {
    ...rest,
    message: `${andMore(more)} of this kind`,
    hint: 'fix those above in the same way, then run the command again',
  } as T
}
