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
 * The project that a folder belongs to: its nearest parent (or itself) that holds `.gsd`, `.planning` or `.git`; null
 * where there is none (contract, "Command line"). A home is never a project. The global root is none for its `.gsd`, which
 * is there because it is the global root; when it is a repository all the same, it counts as project.
 *
 * @returns a real path
 */
export const findProject = (cwd: string, { home, globalRoot }: SearchLimits): string | null => {
  const realHome = realPathOf(home)
  const realGlobal = realPathOf(globalRoot)
  for (let at = realPathOf(cwd); ; at = dirname(at)) {
    const marks = at === realHome ? [] : at === realGlobal ? REPOSITORY_MARKERS : ['.gsd', ...REPOSITORY_MARKERS]
    if (marks.some((mark) => exists(join(at, mark)))) return at
    if (at === dirname(at)) return null
  }
}

const REPOSITORY_MARKERS = ['.planning', '.git']

/** Any kind of thing counts: `.git` is a file in a worktree. */
const exists = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
