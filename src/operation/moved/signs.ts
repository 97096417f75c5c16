import { dirname, join, relative } from 'node:path'
import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import { readHosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import { readLedger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { leadsTo } from './leads-to.ts'

type Disks = Pick<Context, 'disk'>

/** Whether a scope may have been moved or copied; a few looks at the disk. */
export const mayBeMoved = (context: Disks, places: ScopePlaces): boolean =>
  places.trusted ? rootsBefore(context, places).length > 0 : lacksRecord(context, places)

/**
 * Whether the ledger names hosts for something of which nothing is on record: as in a fresh clone, or after the folder was
 * moved or copied, since the record of a project is kept under its path.
 */
export const lacksRecord = ({ disk }: Disks, places: ScopePlaces): boolean => {
  if (!isThere(disk, places.ledger)) return false
  const ledger = readLedger(disk, places)
  if (ledger.state !== 'ok') return false
  const wired = [...ledger.value.capabilities].filter(([, { runtimes }]) => runtimes.length > 0)
  if (wired.length === 0) return false
  const hosts = readHosts(disk, places)
  if (hosts.state === 'unreadable') return false
  const records = hosts.state === 'ok' ? [...hosts.value.files.values()] : []
  return wired.some(([id]) => !records.some(({ entries }) => Object.hasOwn(entries, id)))
}

/** Other roots into whose bundles entries lead that are on record here, each with the files they stand in. */
export const rootsBefore = (
  { disk }: Disks,
  places: ScopePlaces,
): readonly { readonly root: string; readonly files: readonly string[] }[] => {
  const hosts = readHosts(disk, places)
  if (hosts.state !== 'ok') return []
  const rooted = [...hosts.value.files].map(([file, { entries }]) => {
    const roots = Object.entries(entries).flatMap(([id, list]) => list.flatMap((entry) => rootOf(leadsTo(entry), id)))
    return { file, root: roots[0] ?? null }
  })
  const leading = rooted.map(({ root }) => root).filter((root) => root !== null && root !== places.realRoot)
  // A file without such an entry, a skill for instance, came with the rest; or it alone tells where from.
  const mute = rooted.filter(({ root }) => root === null).map(({ file }) => file)
  const others = new Set(leading.length > 0 ? leading : mute.flatMap((file) => rootByPlace(disk, places, file)))
  return [...others].flatMap((root, index) => {
    if (root === null) return []
    const files = rooted.filter((each) => each.root === root).map(({ file }) => file)
    return [{ root, files: index === 0 ? [...files, ...mute] : files }]
  })
}

/** The folder that a file elsewhere lies in as another one lies in the root: the place it had before the root was moved. */
const rootByPlace = (disk: Disks['disk'], { realRoot }: ScopePlaces, file: string): readonly string[] => {
  if (liesIn(file, realRoot)) return []
  for (let root = dirname(file); root !== dirname(root); root = dirname(root))
    if (isThere(disk, join(realRoot, relative(root, file)))) return [root]
  return []
}

const rootOf = (path: string | null, id: string): readonly string[] => {
  const [root, rest] = path?.split(`/.gsd/capabilities/${id}`) ?? []
  return root === undefined || rest === undefined ? [] : [root]
}
