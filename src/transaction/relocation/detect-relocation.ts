import { dirname, join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import { bundlePathIn } from '../../host/edit/host-entry.ts'
import { pathExists } from '../../platform/path-exists.ts'
import { isInside } from '../../platform/real-path.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

type DiskContext = Pick<Context, 'disk'>

/** Whether a scope may have been moved or copied; a few looks at the disk. */
export const mayBeRelocated = (context: DiskContext, paths: ScopePaths): boolean =>
  paths.trusted ? formerRoots(context, paths).length > 0 : lacksHostRecord(context, paths)

/**
 * Whether the ledger names hosts for something of which nothing is on record: as in a fresh clone, or after the folder was
 * moved or copied, since the record of a project is kept under its path.
 */
export const lacksHostRecord = ({ disk }: DiskContext, paths: ScopePaths): boolean => {
  if (!pathExists(disk, paths.ledger)) return false
  const ledger = readLedger(disk, paths)
  if (ledger.state !== 'ok') return false
  const wired = [...ledger.value.capabilities].filter(([, { runtimes }]) => runtimes.length > 0)
  if (wired.length === 0) return false
  const hosts = readHostRecords(disk, paths)
  if (hosts.state === 'unreadable') return false
  const records = hosts.state === 'ok' ? [...hosts.value.files.values()] : []
  return wired.some(([id]) => !records.some(({ entries }) => Object.hasOwn(entries, id)))
}

/** Other roots into whose bundles entries lead that are on record here, each with the files they stand in. */
export const formerRoots = (
  { disk }: DiskContext,
  paths: ScopePaths,
): readonly { readonly root: string; readonly files: readonly string[] }[] => {
  const hosts = readHostRecords(disk, paths)
  if (hosts.state !== 'ok') return []
  const rooted = [...hosts.value.files].map(([file, { entries }]) => {
    const roots = Object.entries(entries).flatMap(([id, list]) =>
      list.flatMap((entry) => bundleRootOf(bundlePathIn(entry), id)),
    )
    return { file, root: roots[0] ?? null }
  })
  const leading = rooted.map(({ root }) => root).filter((root) => root !== null && root !== paths.realRoot)
  // A file without such an entry, a skill for instance, came with the rest; or it alone tells where from.
  const mute = rooted.filter(({ root }) => root === null).map(({ file }) => file)
  const others = new Set(leading.length > 0 ? leading : mute.flatMap((file) => formerRootOf(disk, paths, file)))
  return [...others].flatMap((root, index) => {
    if (root === null) return []
    const files = rooted.filter((each) => each.root === root).map(({ file }) => file)
    return [{ root, files: index === 0 ? [...files, ...mute] : files }]
  })
}

/** The folder that a file elsewhere lies in as another one lies in the root: the place it had before the root was moved. */
const formerRootOf = (disk: DiskContext['disk'], { realRoot }: ScopePaths, file: string): readonly string[] => {
  if (isInside(file, realRoot)) return []
  for (let root = dirname(file); root !== dirname(root); root = dirname(root))
    if (pathExists(disk, join(realRoot, relative(root, file)))) return [root]
  return []
}

const bundleRootOf = (path: string | null, id: string): readonly string[] => {
  const [root, rest] = path?.split(`/.gsd/capabilities/${id}`) ?? []
  return root === undefined || rest === undefined ? [] : [root]
}
