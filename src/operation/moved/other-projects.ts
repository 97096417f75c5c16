import { dirname, join } from 'node:path'
import { privatePlaces, projectKey, projectsFolder } from '../../config/places.ts'
import type { Context } from '../../context.ts'
import { readHosts, type Hosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import type { Journal } from '../../store/journal-entry.ts'
import { readJournal } from '../../store/journal.ts'
import { namesIn } from '../../store/names-in.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { leadsTo } from './leads-to.ts'

/** What the user's own `.gsd` keeps of a project that is none of the scopes here. */
export interface OtherProject {
  /** Real path of its folder, as it was; null where nothing that is kept tells it. */
  readonly root: string | null
  /** Whether that folder is there. */
  readonly isThere: boolean
  readonly places: Pick<ScopePlaces, 'private' | 'hosts' | 'journal' | 'lock'>
  readonly hosts: Hosts
  readonly journal: Journal | null
}

/** All of them that hold something, by the name of their private folder. What cannot be read of them is passed over. */
export const otherProjects = (context: Context): readonly OtherProject[] => {
  const { disk, user } = context
  const folder = projectsFolder(user)
  const here = new Set([context.global.private, context.project?.private])
  return namesIn(disk, folder)
    .filter((name) => /^[0-9a-f]{64}$/.test(name) && !here.has(join(folder, name)))
    .toSorted()
    .flatMap((name): OtherProject[] => {
      const places = privatePlaces(join(folder, name))
      const hosts = valueOf(readHosts(disk, places)) ?? { files: new Map() }
      const journal = valueOf(readJournal(disk, places))
      if (hosts.files.size === 0 && journal === null) return []
      const root = rootOf(name, hosts, journal)
      return [{ root, isThere: root !== null && isThere(disk, root), places, hosts, journal }]
    })
}

const valueOf = <T>(file: { readonly state: 'absent' | 'unreadable' } | { readonly state: 'ok'; readonly value: T }) =>
  file.state === 'ok' ? file.value : null

/** The folder whose hash the name is: above a file that was written, or above a script that was named in one. */
const rootOf = (name: string, { files }: Hosts, journal: Journal | null): string | null => {
  const paths = [...files].flatMap(([file, { entries }]) => [
    file,
    ...Object.values(entries)
      .flat()
      .flatMap((entry) => leadsTo(entry) ?? []),
  ])
  const folders = new Set([...(journal === null ? [] : [journal.root]), ...paths.flatMap(foldersAbove)])
  return [...folders].find((folder) => projectKey(folder) === name) ?? null
}

const foldersAbove = (path: string): readonly string[] => {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}
