import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { bundlePathIn } from '../../host/edit/host-entry.ts'
import { pathExists } from '../../platform/disk.ts'
import { listFolder } from '../../platform/folders.ts'
import type { Journal } from '../../state/change.ts'
import { privatePathsOf, projectKey, projectsFolder } from '../../state/config/resolve-paths.ts'
import { readHostRecords, type HostRecords } from '../../state/host-records.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readJournal } from '../journal.ts'

/** A project, none of the current scopes, with files in the private folder of the user. */
export interface OtherProject {
  /** Real path of its folder when the files were written; null when none of them shows it. */
  readonly root: string | null
  /** Whether that folder exists. */
  readonly exists: boolean
  readonly paths: Pick<ScopePaths, 'private' | 'hosts' | 'journal' | 'lock'>
  readonly hostRecords: HostRecords
  readonly journal: Journal | null
}

/** All such projects, sorted by the name of their private folder. Files that cannot be read are skipped. */
export const otherProjects = (context: Context): readonly OtherProject[] => {
  const { disk, user } = context
  const folder = projectsFolder(user)
  const current = new Set([context.global.private, context.project?.private])
  return listFolder(disk, folder)
    .filter((name) => /^[0-9a-f]{64}$/.test(name) && !current.has(join(folder, name)))
    .toSorted()
    .flatMap((name): OtherProject[] => {
      const paths = privatePathsOf(join(folder, name))
      const hostRecords = valueOrNull(readHostRecords(disk, paths)) ?? { files: new Map() }
      const journal = valueOrNull(readJournal(disk, paths))
      if (hostRecords.files.size === 0 && journal === null) return []
      const root = rootOf(name, hostRecords, journal)
      return [{ root, exists: root !== null && pathExists(disk, root), paths, hostRecords, journal }]
    })
}

const valueOrNull = <T>(
  file: { readonly state: 'absent' | 'unreadable' } | { readonly state: 'ok'; readonly value: T },
) => (file.state === 'ok' ? file.value : null)

/** Finds the folder with this hash among the parents of recorded files and scripts. */
const rootOf = (name: string, { files }: HostRecords, journal: Journal | null): string | null => {
  const paths = [...files].flatMap(([file, { entries }]) => [
    file,
    ...Object.values(entries)
      .flat()
      .flatMap((entry) => bundlePathIn(entry) ?? []),
  ])
  const folders = new Set([...(journal === null ? [] : [journal.root]), ...paths.flatMap(foldersAbove)])
  return [...folders].find((folder) => projectKey(folder) === name) ?? null
}

const foldersAbove = (path: string): readonly string[] => {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...foldersAbove(parent)]
}
