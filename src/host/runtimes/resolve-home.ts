import { dirname, join } from 'node:path'
import { GsdError } from '../../errors.ts'
import type { ConfigHome } from './runtime.ts'

/** What the search for a home depends on. */
export interface HomeLookup {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home. */
  readonly home: string
  readonly exists: (path: string) => boolean
}

/**
 * The configuration home of a host (hosts page, "Finding the home"). An override counts only when it holds a character
 * that is not blank; it is not trimmed, and a leading `~` is the user's home.
 * @throws HOST_NO_SURFACE for a host that has none.
 */
export const resolveHome = (configHome: ConfigHome, lookup: HomeLookup): string =>
  HOME_RESOLVERS[configHome.kind](configHome as never, lookup)

/** `~` and `~/…` as the user's home; anything else as it is. */
export const expandHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path

type HomeResolvers = {
  [K in ConfigHome['kind']]: (configHome: Extract<ConfigHome, { kind: K }>, lookup: HomeLookup) => string
}

const HOME_RESOLVERS: HomeResolvers = {
  'dot-home': ({ name, env }, lookup) => firstOverride(env, lookup) ?? join(lookup.home, name),

  'dot-home-nested': ({ name, parent, env, probe, probeExists }, lookup) => {
    const below = (folder: string): string => join(lookup.home, parent, folder)
    return (
      firstOverride(env.slice(0, 1), lookup) ??
      probeFolders((probe ?? []).map(below), probeExists, lookup, true) ??
      below(name)
    )
  },

  xdg: ({ name, env }, lookup) => {
    const [folder, file, root] = env.map((variable) => readOverride(variable, lookup))
    if (folder != null) return folder
    if (file != null) return dirname(file)
    return join(root ?? join(lookup.home, '.config'), name)
  },

  'generic-agents-root': ({ env, probe, probeExists }, lookup) => {
    const folders = probe.map((path) => expandHome(path, lookup.home))
    return firstOverride(env.slice(0, 1), lookup) ?? probeFolders(folders, probeExists, lookup, false) ?? lookup.home
  },

  none: () => {
    throw new GsdError('HOST_NO_SURFACE', 'this host has no configuration home of its own')
  },
}

/** The first folder that holds the marker; else (where that counts) the first that exists; else the first. */
const probeFolders = (
  folders: readonly string[],
  marker: string | undefined,
  { exists }: HomeLookup,
  existingCounts: boolean,
): string | null =>
  folders.find((folder) => marker !== undefined && exists(join(folder, marker))) ??
  (existingCounts ? folders.find((folder) => exists(folder)) : undefined) ??
  folders[0] ??
  null

const firstOverride = (variables: readonly string[], lookup: HomeLookup): string | null =>
  variables.map((variable) => readOverride(variable, lookup)).find((value) => value !== null) ?? null

const readOverride = (variable: string, { env, home }: HomeLookup): string | null => {
  const value = env[variable]
  return value === undefined || value.trim() === '' ? null : expandHome(value, home)
}
