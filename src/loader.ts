import { resolve } from 'node:path'
import { diagnostic, type Diagnostic } from './diagnostic.ts'
import { listRuntimeHomes } from './host/runtimes/built-in-runtimes.ts'
import { libraryPaths, readTextOptions } from './library-options.ts'
import { loadFromRequest } from './overlay/load-registry.ts'
import { cacheFolder } from './platform/user-folders.ts'
import { ProcessMemory } from './process-memory.ts'
import { quote } from './redact.ts'
import type { Registry } from './registry/registry.ts'
import { readHostVersion } from './state/config/host-version.ts'
import { scopesOf } from './state/config/resolve-paths.ts'

export type { Diagnostic } from './diagnostic.ts'
export type { Attached, Candidate, Origin, Registry } from './registry/registry.ts'

export interface LoadOptions {
  /** Whether overlays are loaded too; otherwise the first-party set alone. Default true. */
  readonly includeInstalled?: boolean
  /** The user's home. Default `os.homedir()`. */
  readonly home?: string
  /** Global root, where it is not the home. Default `GSD_HOME`, unless `home` is given; else the home. */
  readonly gsdHome?: string
  /** Project folder; without it only the global scope is loaded. */
  readonly project?: string | null
  /** Version that `engines` is judged against. Default: the version that `gsd` itself uses. */
  readonly hostVersion?: string
  /**
   * Folder for what can be had again: with it, a load of many overlays costs little more than looking whether they changed.
   * Default: the user's cache folder; null: nothing is kept.
   */
  readonly cache?: string | null
  /** Folder with another first-party set than the built-in one. */
  readonly firstParty?: string
}

export interface Loaded {
  readonly registry: Registry
  readonly warnings: readonly Diagnostic[]
}

/** Shared by all calls of one process: a second load of unchanged files costs little more than their stats. */
const memory = new ProcessMemory()

/**
 * Everything that is installed, merged: first-party ∪ project ∪ global (contract, "Library"). Whatever on disk cannot be
 * used is skipped with a warning; nothing is repaired or written but the cache.
 *
 * @throws GsdError `USAGE_BAD_VALUE` for an option that is no text, and for a `hostVersion`, or a `GSD_VERSION` in the
 *   environment, that is no version
 */
export const loadRegistry = async (options: LoadOptions = {}): Promise<Loaded> => {
  const given = readTextOptions(options as Readonly<Record<string, unknown>> | null, TEXT_OPTIONS)
  const { home, paths, missingProject } = libraryPaths(given)
  const { hostVersion, warnings } = readHostVersion({
    flag: given.hostVersion,
    flagName: 'hostVersion',
    env: process.env['GSD_VERSION'],
    project: paths.project?.realRoot ?? null,
    homes: listRuntimeHomes({ env: process.env, home }),
  })
  const loaded = await loadFromRequest(
    {
      user: paths.user,
      scopes: options?.includeInstalled === false ? [] : scopesOf(paths),
      hostVersion,
      firstParty: given.firstParty === undefined ? null : resolve(given.firstParty),
      usesSnapshot: true,
      cache: options?.cache === null ? null : (given.cache ?? cacheFolder(home)),
      now: Date.now,
    },
    memory,
  )
  const noProject = missingProject === null ? [] : [missingProjectWarning(missingProject)]
  return { registry: loaded.registry, warnings: [...noProject, ...warnings, ...loaded.warnings] }
}

const TEXT_OPTIONS = ['home', 'gsdHome', 'project', 'hostVersion', 'cache', 'firstParty'] as const

const missingProjectWarning = (project: string): Diagnostic =>
  diagnostic(
    'warning',
    'USAGE_NO_PROJECT',
    `the project ${quote(project)} is not a folder; only the global scope is loaded`,
    {
      file: project,
      hint: 'name an existing folder',
    },
  )
