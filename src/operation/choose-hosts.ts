import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import type { KnownHost, KnownHosts } from '../host/runtimes/known-hosts.ts'
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
  const used = new Set([...ledger.capabilities.values()].flatMap((entry) => entry.runtimes))
  const offers = detectHosts(context, question, used)
  return offers.length === 0 ? runtimes : chooseHosts(offers)
}

/** The hosts of this machine that can take all of the capabilities, and something of at least one; those in use come selected. */
const detectHosts = (
  context: Context,
  { known, paths, prepared }: HostQuestion,
  used: ReadonlySet<string>,
): readonly HostChoice[] => {
  const usable = [...known.values()].flatMap((host) => {
    if (!isDetected(context, host, paths)) return []
    const targets = prepared.map((each) => targetsOrNull(context, host, paths, each))
    const files = targets.flatMap((each) => each ?? [])
    return targets.includes(null) || files.length === 0 ? [] : [host.runtime]
  })
  return usable.map(({ id, title }) => ({
    id,
    title,
    preselected: used.has(id),
  }))
}

/** Folders that other programs make too. */
const SHARED_FOLDERS = ['.github', '.agents', '.config/agents']

/** Its configuration home exists, or for a project its folder in the project; not by a folder that others make as well. */
const isDetected = ({ env, home }: Context, { runtime }: KnownHost, { scope, root }: ScopePaths): boolean => {
  const { configHome, hooksHome, localDir } = runtime
  if (scope === 'project' && localDir !== null && isFound(join(root, localDir))) return true
  const homes = [configHome, ...(hooksHome === undefined ? [] : [hooksHome])]
  return homes.some((each) => each.kind !== 'none' && isFound(resolveHome(each, { env, home, exists: existsSync })))
}

const isFound = (folder: string): boolean =>
  !SHARED_FOLDERS.some((shared) => folder.endsWith(`/${shared}`)) && existsSync(folder)

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
