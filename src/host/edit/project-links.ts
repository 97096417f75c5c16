import { sep } from 'node:path'
import { foldName } from '../../bundle/path-rules.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { isBrokenLink, isInside, realPathOf, resolveRealFile } from '../../platform/real-path.ts'
import { quote } from '../../redact.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

/** The folder of a scope, as named and with every link resolved. */
export type ScopeRoots = Pick<ScopePaths, 'scope' | 'root' | 'realRoot'>

/**
 * True for a path that is named in a project and is not in it: a link in the project leads it out (security page, "Settings
 * files"). Names are compared as a file system without case compares them, real paths exactly. Pure.
 */
export const leavesProject = (named: string, real: string, roots: ScopeRoots): boolean =>
  roots.scope === 'project' && isNamedIn(named, roots) && !real.startsWith(roots.realRoot + sep)

const isNamedIn = (named: string, { root, realRoot }: ScopeRoots): boolean =>
  [root, realRoot].some((folder) => isInside(foldName(named), foldName(folder)))

/**
 * Why no host file of a project may be read or written at this path: a link on the way leads out of the project, or nowhere.
 * Null where the path is fine, and for every path of the global scope, where links are followed.
 */
export const findLinkOut = (disk: Disk, roots: ScopeRoots, named: string): GsdError | null => {
  if (roots.scope !== 'project' || !isNamedIn(named, roots)) return null
  const real = realPathOf(named)
  if (leavesProject(named, real, roots))
    return linkError(`${quote(named)} leads out of the project, to ${quote(real)}`, { file: named, real })
  try {
    resolveRealFile(disk, named)
    return null
  } catch (error) {
    // Other errors, as a file in place of a folder, are for whoever opens it.
    return error instanceof GsdError && isBrokenLink(error) ? linkError(error.message, { file: named }, error) : null
  }
}

/** @throws HOST_LINKED; see {@link findLinkOut} */
export const refuseLinkOut = (disk: Disk, roots: ScopeRoots, named: string): void => {
  const error = findLinkOut(disk, roots, named)
  if (error !== null) throw error
}

const linkError = (message: string, details: object, cause?: unknown): GsdError =>
  new GsdError('HOST_LINKED', message, {
    hint: 'remove the link from the project, then run the command again; nothing was written there',
    details,
    cause,
  })
