import type { Context } from '../../context.ts'
import { loadRegistryFor } from '../../overlay/load-registry.ts'
import { type KnownHosts, listKnownHosts } from '../runtimes/known-hosts.ts'

/** The host runtimes this program knows, and those that capabilities on this machine describe. */
export const loadKnownHosts = async (context: Context): Promise<KnownHosts> =>
  listKnownHosts((await loadRegistryFor(context)).registry.runtimes.values())
