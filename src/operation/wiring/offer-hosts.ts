import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { doubleReaders } from '../../host/double-readers.ts'
import { isHook } from '../../host/entry.ts'
import type { KnownHost, KnownHosts } from '../../host/known-hosts.ts'
import { resolveHome } from '../../host/resolve-home.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { bundleDir } from '../installed/bundle-dir.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { targetsOf, type Target } from './wiring-targets.ts'

/** A host that is on this machine and has a place for what is being installed. */
export interface HostOffer {
  readonly id: string
  readonly title: string
  /** False for one that reads the files of another one that is offered: its hooks would run twice. */
  readonly chosen: boolean
}

/** Asks which hosts to wire. @throws INTERRUPTED */
export type ChooseHosts = (offers: readonly HostOffer[]) => Promise<readonly string[]>

/** The hosts found here that can take all of the capabilities, and something of at least one of them. */
export const offerHosts = (
  context: Context,
  known: KnownHosts,
  places: ScopePlaces,
  prepared: readonly Prepared[],
): readonly HostOffer[] => {
  const usable = [...known.values()].flatMap((host) => {
    if (!isHere(context, host, places)) return []
    const targets = prepared.map((each) => targetsIn(context, host, places, each))
    const files = targets.flatMap((each) => each ?? [])
    if (targets.includes(null) || files.length === 0) return []
    return [{ runtime: host.runtime, hooks: files.some(({ entries }) => entries.some(isHook)) }]
  })
  const readers = doubleReaders(usable.filter(({ hooks }) => hooks).map(({ runtime }) => runtime))
  return usable.map(({ runtime: { id, title } }) => ({
    id,
    title,
    chosen: !readers.some(({ reader }) => reader === id),
  }))
}

/** Its configuration home is there, or for a project its folder in the project. */
const isHere = ({ env, home }: Context, { runtime }: KnownHost, { scope, root }: ScopePlaces): boolean => {
  const { configHome, localDir } = runtime
  if (scope === 'project' && localDir !== null && existsSync(join(root, localDir))) return true
  return configHome.kind !== 'none' && existsSync(resolveHome(configHome, { env, home, exists: existsSync }))
}

/** Null where the host cannot take the capability. */
const targetsIn = (
  context: Context,
  host: KnownHost,
  places: ScopePlaces,
  { manifest, staged }: Prepared,
): readonly Target[] | null => {
  if (manifest.role !== 'feature') return []
  const dir = bundleDir(context, places, manifest.id)
  try {
    return targetsOf(context, { places, manifest, files: staged.files, from: staged.dir, dir, settings: null }, host)
      .files
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}
