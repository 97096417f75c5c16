import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { pathExists } from '../../platform/path-exists.ts'
import { isInside } from '../../platform/real-path.ts'
import { readHostRecords } from '../../state/host-records.ts'
import type { Json } from '../../state/json-text.ts'
import { sameJson } from '../../state/json-text.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { formerRoots } from './detect-relocation.ts'
import type { OtherProject } from './other-projects.ts'
import { relocatedRecord } from './relocated-records.ts'

/**
 * The same for a global root, whose record lies in it and goes where it goes. In a copy, what it says of files elsewhere is
 * about the entries of the original, which this one has no part in.
 */
export const globalRelocations = (context: Context, paths: ScopePaths): readonly Relocation[] => {
  const { disk } = context
  const to = paths.realRoot
  return formerRoots(context, paths).flatMap(({ root: from, files }) => {
    const isCopy = pathExists(disk, join(from, '.gsd'))
    if (isCopy && isSameFolder(context, join(from, '.gsd'), paths.gsd)) return []
    const hosts = readHostRecords(disk, paths)
    const known = hosts.state === 'ok' ? hosts.value.files : new Map()
    const records = new Map<string, Json>()
    for (const file of files) {
      const record = known.get(file)
      const isHere = isInside(file, to) && !(isInside(from, to) && isInside(file, from))
      if (record === undefined || isHere) continue
      const wanted = { from, to, isOurs: () => true }
      const taken = isInside(file, from) ? relocatedRecord(context, { file, record }, wanted) : null
      if (taken !== null || isCopy) records.set(file, null)
      if (taken !== null) records.set(taken.file, taken.record as unknown as Json)
    }
    const changed = [...records].filter(([file, after]) => !sameJson((known.get(file) ?? null) as Json, after))
    return changed.length === 0 ? [] : [{ from, isCopy, records: new Map(changed), obsolete: null }]
  })
}

/** Two names of one folder: a link, or a container that has it mounted elsewhere. */
const isSameFolder = ({ disk }: Context, one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => disk.statSync(path))
  return a?.dev === b?.dev && a?.ino === b?.ino
}

/** What came with the folder of a scope that was moved or copied, and what is to be on record of it. */
export interface Relocation {
  /** The folder as it was called. */
  readonly from: string
  /** That folder is there as well: this one is a copy. */
  readonly isCopy: boolean
  /** By the file of a host: its record here; null where it has none any more. */
  readonly records: ReadonlyMap<string, Json>
  /** What the old place has on record, and is to forget; null where nothing is. */
  readonly obsolete: { readonly paths: OtherProject['paths']; readonly files: readonly string[] } | null
}
