import type { LaneResult } from './lane-result.ts'

/** A place that several reviews cite. */
export interface ConsensusRow {
  /** `src/a.ts:12` */
  readonly place: string
  readonly reviewers: readonly string[]
}

const PLACE = /(?<![\w/.@-])((?:[\w@.-]+\/)*[\w@.-]*\.[A-Za-z]\w*):(\d{1,7})(?!\d)/g

/** Places that two or more source-grounded reviews cite, in the order of their names. Pure. */
export const consensusOf = (results: readonly LaneResult[]): readonly ConsensusRow[] => {
  const byPlace = new Map<string, string[]>()
  for (const { lane, state, text } of results) {
    if (state !== 'reviewed' || lane.evidence !== 'source-grounded') continue
    const places = new Set(
      [...text.matchAll(PLACE)].map(([, path = '', line = '']) => `${path.replace(/^\.\//, '')}:${line}`),
    )
    for (const place of places) byPlace.set(place, [...(byPlace.get(place) ?? []), lane.name])
  }
  return [...byPlace]
    .filter(([, reviewers]) => reviewers.length > 1)
    .map(([place, reviewers]) => ({ place, reviewers }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}
