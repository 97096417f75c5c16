import { dirname, join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import { bundlePathIn } from '../../host/edit/host-entry.ts'
import { pathExists } from '../../platform/disk.ts'
import { isInside } from '../../platform/real-path.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

type DiskContext = Pick<Context, 'disk'>

/** Whether a scope may have been moved or copied. */
export const mayBeRelocated = (context: DiskContext, paths: ScopePaths): boolean =>
  lacksHostRecord(context, paths) || (paths.trusted && formerRoots(context, paths).length > 0)

/**
 * Whether the ledger lists hosts for a capability without a host record: as in a fresh clone, or after the folder was moved
 * or copied, because the record of a project is stored under its path.
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

/** Other roots that recorded entries point to, each with the host files of those entries. */
export const formerRoots = (
  { disk }: DiskContext,
  paths: ScopePaths,
): readonly { readonly root: string; readonly files: readonly string[] }[] => {
  const hosts = readHostRecords(disk, paths)
  if (hosts.state !== 'ok') return []
  const rooted = [...hosts.value.files].map(([file, { entries }]) => {
    const found = Object.entries(entries).flatMap(([id, list]) =>
      list.flatMap((entry) => bundleRootOf(bundlePathIn(entry), id)),
    )
    return { file, root: found[0] ?? null }
  })
  const roots = rooted.map(({ root }) => root).filter((root) => root !== null && root !== paths.realRoot)
  // A file without such an entry, for instance a skill, moved with the others; if there are none, its path shows the root.
  const rootless = rooted.filter(({ root }) => root === null).map(({ file }) => file)
  const others = new Set(roots.length > 0 ? roots : rootless.flatMap((file) => formerRootOf(disk, paths, file)))
  return [...others].flatMap((root, index) => {
    if (root === null) return []
    const files = rooted.filter((each) => each.root === root).map(({ file }) => file)
    return [{ root, files: index === 0 ? [...files, ...rootless] : files }]
  })
}

/** A folder that holds the file at the same relative path as the root holds another one: the root before it was moved. */
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
