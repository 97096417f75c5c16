import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isInside, realPathOf } from '../../platform/real-path.ts'
import { sha256OfShortText } from '../../platform/sha256.ts'
import { quote } from '../../redact.ts'
import type { ScopePaths, UserPaths } from '../scope-paths.ts'
import { findProject } from './find-project.ts'

export interface PathsRequest {
  readonly cwd: string
  /** The user's home. */
  readonly home: string
  /** `$GSD_HOME`; blank counts as unset, a relative path starts at `cwd`, `~/` is the home. */
  readonly gsdHome: string | undefined
  /** `--project`; undefined: search upwards from `cwd`; null: no project. */
  readonly project: string | null | undefined
}

export interface ResolvedPaths {
  readonly user: UserPaths
  /** The same object as `project` if both roots are one folder; see {@link scopesOf}. */
  readonly global: ScopePaths
  /** Null where there is no project. */
  readonly project: ScopePaths | null
}

/**
 * The paths of all files (contract, "Files"). Nothing in a repository may grant anything: if the global root is a project
 * or inside one, of whatever working directory, it is not trusted, and the private files of the user are in the home instead.
 *
 * @throws GsdError `USAGE_BAD_VALUE` when `--project` is not a folder
 */
export const resolvePaths = ({ cwd, home, gsdHome, project: named }: PathsRequest): ResolvedPaths => {
  const globalRoot = expandHome(gsdHome?.trim() ? gsdHome : home, cwd, home)
  const projectRoot =
    named === undefined
      ? findProject(cwd, { home, globalRoot })
      : named === null
        ? null
        : resolveNamedProject(named, cwd, home)
  const realGlobal = realPathOf(globalRoot)
  const realProject = projectRoot === null ? null : realPathOf(projectRoot)
  const limits = { home, globalRoot }
  const inProject =
    realGlobal !== realPathOf(home) &&
    ((realProject !== null && isInside(realGlobal, realProject)) || findProject(realGlobal, limits) !== null)
  const user = userPathsOf(inProject ? realPathOf(home) : realGlobal)
  const project = projectRoot === null ? null : makeScopePaths('project', projectRoot, privateFolder(user, projectRoot))
  if (project !== null && realGlobal === project.realRoot) return { user, global: project, project }
  const global = makeScopePaths('global', globalRoot, inProject ? privateFolder(user, globalRoot) : null)
  return { user, global, project }
}

/** The existing scopes, each once, the project first. */
export const scopesOf = ({ global, project }: Pick<ResolvedPaths, 'global' | 'project'>): readonly ScopePaths[] =>
  project === null || project === global ? [global] : [project, global]

const userPathsOf = (realRoot: string): UserPaths => {
  const gsd = join(realRoot, '.gsd')
  return {
    gsd,
    grants: join(gsd, 'grants.json'),
    formerGrants: join(gsd, 'consent.json'),
    grantsAdopted: join(gsd, '.grants-adopted'),
    config: join(gsd, 'config.json'),
    policy: join(gsd, 'policy.json'),
    catalogs: join(gsd, 'catalogs.json'),
    lock: join(gsd, '.lock'),
  }
}

/** `privateRoot`: folder for the files that must not be in a repository; null: the scope belongs to the user. */
const makeScopePaths = (scope: ScopeName, root: string, privateRoot: string | null): ScopePaths => {
  const realRoot = realPathOf(root)
  const gsd = join(realRoot, '.gsd')
  return {
    scope,
    root,
    realRoot,
    gsd,
    capabilities: join(gsd, 'capabilities'),
    ledger: join(gsd, 'ledger.json'),
    receipts: join(gsd, 'receipts'),
    state: join(gsd, 'state.json'),
    gitignore: join(gsd, '.gitignore'),
    staging: join(gsd, '.staging'),
    trash: join(gsd, '.trash'),
    ...privatePathsOf(privateRoot ?? gsd),
    trusted: privateRoot === null,
  }
}

/** The paths in the private folder of a scope. */
export const privatePathsOf = (folder: string): Pick<ScopePaths, 'private' | 'hosts' | 'journal' | 'lock'> => ({
  private: folder,
  hosts: join(folder, 'hosts.json'),
  journal: join(folder, '.journal.json'),
  lock: join(folder, '.lock'),
})

/** The folder with the private folders of all projects. */
export const projectsFolder = ({ gsd }: Pick<UserPaths, 'gsd'>): string => join(gsd, 'projects')

/** The name of a project's private folder. @param realRoot real path of the project */
export const projectKey = (realRoot: string): string => sha256OfShortText(realRoot)

const privateFolder = (user: UserPaths, root: string): string =>
  join(projectsFolder(user), projectKey(realPathOf(root)))

const resolveNamedProject = (named: string, cwd: string, home: string): string => {
  const root = expandHome(named, cwd, home)
  if (named.trim() !== '' && isFolder(root)) return root
  throw new GsdError('USAGE_BAD_VALUE', `--project ${quote(named)} is not a folder`, {
    hint: 'name an existing folder',
  })
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const expandHome = (path: string, cwd: string, home: string): string =>
  resolve(cwd, path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path)

/**
 * The paths of a scope by name. If the global root is the project itself, both names mean the project.
 * @throws GsdError USAGE_NO_PROJECT
 */
export const scopePathsOf = (context: Pick<Context, 'global' | 'project'>, scope: ScopeName): ScopePaths => {
  const paths = context[scope]
  if (paths !== null) return paths
  throw new GsdError(
    'USAGE_NO_PROJECT',
    'there is no project here: no folder upwards contains .gsd, .planning or .git',
    {
      hint: 'add --project <dir> or --scope global',
    },
  )
}
