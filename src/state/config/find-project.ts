import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { realPathOf } from '../../platform/real-path.ts'

export interface SearchLimits {
  /** The user's home. */
  readonly home: string
  /** `$GSD_HOME` or the home; the folder that holds the global `.gsd`. */
  readonly globalRoot: string
}

/**
 * The project of a folder: the nearest folder upwards, itself included, that contains `.gsd`, `.planning` or `.git`; null
 * where there is none (contract, "Command line"). A home is never a project. The global root is one only with `.planning` or
 * `.git`, since it always has a `.gsd`.
 *
 * @returns a real path
 */
export const findProject = (cwd: string, { home, globalRoot }: SearchLimits): string | null => {
  const realHome = realPathOf(home)
  const realGlobal = realPathOf(globalRoot)
  for (let at = realPathOf(cwd); ; at = dirname(at)) {
    const markers = at === realHome ? [] : at === realGlobal ? REPOSITORY_MARKERS : ['.gsd', ...REPOSITORY_MARKERS]
    if (markers.some((marker) => exists(join(at, marker)))) return at
    if (at === dirname(at)) return null
  }
}

/**
 * The folders of which the project configuration counts for a project: itself and every folder above it, but not a home. A
 * `.gsd`, or a repository of its own, in a subfolder does not end the policy of the outer project.
 * @returns real paths, innermost first
 */
export const policyFolders = (project: string, { home }: Pick<SearchLimits, 'home'>): readonly string[] => {
  const realHome = realPathOf(home)
  const folders: string[] = []
  for (let at = realPathOf(project); ; at = dirname(at)) {
    if (at !== realHome) folders.push(at)
    if (at === dirname(at)) return folders
  }
}

const REPOSITORY_MARKERS = ['.planning', '.git']

/** Files count too: in a worktree `.git` is a file. */
const exists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
