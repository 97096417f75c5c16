import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { isHook } from '../host/edit/host-entry.ts'
import type { KnownHost, KnownHosts } from '../host/runtimes/known-hosts.ts'
import { findDoubleReads } from '../host/runtimes/known-hosts.ts'
import { resolveHome } from '../host/runtimes/resolve-home.ts'
import { resolveTargets, type WiringTarget } from '../host/wiring/wiring-targets.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { bundleDir } from '../state/installed.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import type { HostChoice, InstallRequest } from './plan/install-request.ts'

/** Which hosts to wire, and for what. */
interface HostQuestion {
  readonly known: KnownHosts
  readonly paths: ScopePaths
  readonly prepared: readonly Prepared[]
}

/** The named hosts, or else those the user chooses. What is installed already keeps its hosts. @throws INTERRUPTED */
export const chooseRuntimes = async (
  context: Context,
  { runtimes, chooseHosts = null, dryRun, consentPrompt }: InstallRequest,
  question: HostQuestion,
): Promise<readonly string[]> => {
  if (runtimes.length > 0 || chooseHosts === null || dryRun || consentPrompt.assumeYes) return runtimes
  const { ledger } = readScopeState(context, question.paths)
  if (question.prepared.every(({ manifest }) => ledger.capabilities.has(manifest.id))) return runtimes
  const offers = detectHosts(context, question)
  return offers.length === 0 ? runtimes : chooseHosts(offers)
}

/** The hosts of this machine that can take all of the capabilities, and something of at least one of them. */
const detectHosts = (context: Context, { known, paths, prepared }: HostQuestion): readonly HostChoice[] => {
  const usable = [...known.values()].flatMap((host) => {
    if (!isDetected(context, host, paths)) return []
    const targets = prepared.map((each) => targetsOrNull(context, host, paths, each))
    const files = targets.flatMap((each) => each ?? [])
    if (targets.includes(null) || files.length === 0) return []
    return [{ runtime: host.runtime, hooks: files.some(({ entries }) => entries.some(isHook)) }]
  })
  const readers = findDoubleReads(
    usable.filter(({ hooks }) => hooks).map(({ runtime }) => runtime),
    paths.scope,
  )
  return usable.map(({ runtime: { id, title } }) => ({
    id,
    title,
    preselected: !readers.some(({ reader }) => reader === id),
  }))
}

/** Its configuration home exists, or for a project its folder in the project. */
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
