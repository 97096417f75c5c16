import { join } from 'node:path'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { readHosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import type { Json } from '../../store/journal-entry.ts'
import { sameJson } from '../../store/json-text.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { movedRecord } from './belongings.ts'
import type { Heritage } from './heritage.ts'
import { rootsBefore } from './signs.ts'

/**
 * The same for a global root, whose record lies in it and goes where it goes. In a copy, what it says of files elsewhere is
 * about the entries of the original, which this one has no part in.
 */
export const ownHeritage = (context: Context, places: ScopePlaces): readonly Heritage[] => {
  const { disk } = context
  const to = places.realRoot
  return rootsBefore(context, places).flatMap(({ root: from, files }) => {
    const isCopy = isThere(disk, join(from, '.gsd'))
    if (isCopy && isSameFolder(context, join(from, '.gsd'), places.gsd)) return []
    const hosts = readHosts(disk, places)
    const known = hosts.state === 'ok' ? hosts.value.files : new Map()
    const records = new Map<string, Json>()
    for (const file of files) {
      const record = known.get(file)
      const isHere = liesIn(file, to) && !(liesIn(from, to) && liesIn(file, from))
      if (record === undefined || isHere) continue
      const wanted = { from, to, isOurs: () => true }
      const taken = liesIn(file, from) ? movedRecord(context, { file, record }, wanted) : null
      if (taken !== null || isCopy) records.set(file, null)
      if (taken !== null) records.set(taken.file, taken.record as unknown as Json)
    }
    const changed = [...records].filter(([file, after]) => !sameJson((known.get(file) ?? null) as Json, after))
    return changed.length === 0 ? [] : [{ from, isCopy, records: new Map(changed), spent: null }]
  })
}

/** Two names of one folder: a link, or a container that has it mounted elsewhere. */
const isSameFolder = ({ disk }: Context, one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => disk.statSync(path))
  return a?.dev === b?.dev && a?.ino === b?.ino
}
