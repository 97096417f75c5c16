import type { Context } from '../../context.ts'
import { type KnownHosts, knownHosts } from '../../host/known-hosts.ts'
import { loadWorld } from '../../overlay/load-world.ts'

/** The host runtimes this program knows, and those that capabilities on this machine describe. */
export const hostsHere = async (context: Context): Promise<KnownHosts> =>
  knownHosts((await loadWorld(context)).registry.runtimes.values())
