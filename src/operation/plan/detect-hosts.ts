import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { isHook } from '../../host/edit/host-entry.ts'
import { findDoubleReads } from '../../host/runtimes/double-reads.ts'
import type { KnownHost, KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { resolveHome } from '../../host/runtimes/resolve-home.ts'
import { resolveTargets, type WiringTarget } from '../../host/wiring/wiring-targets.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import { bundleDir } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

/** A host that is on this machine and has a place for what is being installed. */
export interface HostChoice {
  readonly id: string
  readonly title: string
  /** False for one that reads the files of another one that is offered: its hooks would run twice. */
  readonly preselected: boolean
}

/** Asks which hosts to wire. @throws INTERRUPTED */
export type ChooseHosts = (offers: readonly HostChoice[]) => Promise<readonly string[]>

/** The hosts found here that can take all of the capabilities, and something of at least one of them. */
export const detectHosts = (
  context: Context,
  known: KnownHosts,
  paths: ScopePaths,
  prepared: readonly Prepared[],
): readonly HostChoice[] => {
  const usable = [...known.values()].flatMap((host) => {
    if (!isDetected(context, host, paths)) return []
    const targets = prepared.map((each) => targetsOrNull(context, host, paths, each))
    const files = targets.flatMap((each) => each ?? [])
    if (targets.includes(null) || files.length === 0) return []
    return [{ runtime: host.runtime, hooks: files.some(({ entries }) => entries.some(isHook)) }]
  })
  const readers = findDoubleReads(usable.filter(({ hooks }) => hooks).map(({ runtime }) => runtime))
  return usable.map(({ runtime: { id, title } }) => ({
    id,
    title,
    preselected: !readers.some(({ reader }) => reader === id),
  }))
}

/** Its configuration home is there, or for a project its folder in the project. */
const isDetected = ({ env, home }: Context, { runtime }: KnownHost, { scope, root }: ScopePaths): boolean => {
  const { configHome, localDir } = runtime
  if (scope === 'project' && localDir !== null && existsSync(join(root, localDir))) return true
  return configHome.kind !== 'none' && existsSync(resolveHome(configHome, { env, home, exists: existsSync }))
}

/** Null where the host cannot take the capability. */
const targetsOrNull = (
  context: Context,
  host: KnownHost,
  paths: ScopePaths,
  { manifest, staged }: Prepared,
): readonly WiringTarget[] | null => {
  if (manifest.role !== 'feature') return []
  const dir = bundleDir(context, paths, manifest.id)
  try {
    return resolveTargets(
      context,
      { paths, manifest, files: staged.files, from: staged.dir, dir, settings: null },
      host,
    ).files
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}
