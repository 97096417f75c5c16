import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { artefactsOf, type Artefact } from '../../host/artefacts/artefacts.ts'
import { hostFile, mcpFile, type PlaceOptions } from '../../host/host-file.ts'
import { hostHooks } from '../../host/host-hooks.ts'
import { hostServers } from '../../host/host-servers.ts'
import type { KnownHost } from '../../host/known-hosts.ts'
import { realFileOf } from '../../host/real-file.ts'
import { runtimePaths, type PlacedKind } from '../../host/runtime-paths.ts'
import { SURFACES } from '../../host/surfaces/table.ts'
import { decodeUtf8 } from '../../host/utf8.ts'
import type { FeatureManifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import { onDisk } from '../../store/disk-error.ts'
import { hashOf } from '../../store/hash.ts'
import type { ScopePlaces } from '../../store/places.ts'
import type { HostWish } from './host-book.ts'

/** What one capability is to have in a file of one host. */
export type Target = Omit<HostWish, 'id' | 'runtime'>

export interface Targets {
  readonly files: readonly Target[]
  /** Why something of it goes nowhere, as clauses. */
  readonly reasons: readonly string[]
}

export interface TargetRequest {
  readonly places: ScopePlaces
  readonly manifest: FeatureManifest
  readonly files: readonly BundleFile[]
  /** Where these files are now. */
  readonly from: string
  /** Where they will be: the real path of the installed bundle. */
  readonly dir: string
  readonly settings: string | null
}

/**
 * Everything of a capability that one host has a place for: hooks, servers, skills and agents.
 * @throws HOST_*: what a host cannot do refuses the whole install
 */
export const targetsOf = (context: Context, request: TargetRequest, host: KnownHost): Targets => {
  const world = { env: context.env, home: context.home, exists: existsSync, id: request.manifest.id }
  const parts = [hookTargets, serverTargets, placedTargets].map((part) => part(context, request, host, world))
  return { files: parts.flatMap(({ files }) => files), reasons: parts.flatMap(({ reasons }) => reasons) }
}

type Part = (context: Context, request: TargetRequest, host: KnownHost, world: PlaceOptions) => Targets

const NONE: Targets = { files: [], reasons: [] }

/** One file for all hooks, or one for each event, as the host has it. */
const hookTargets: Part = (context, request, { runtime }, world) => {
  const { places, manifest, files, dir, settings } = request
  const hooks = hostHooks(manifest, runtime, dir, files)
  if ((manifest.hooks ?? []).length === 0) return NONE
  const targets = new Map<string, Target>()
  for (const event of new Set(hooks.map((hook) => hook.event))) {
    const place = hostFile(runtime, places, { ...world, event })
    if ('reason' in place) return { files: [], reasons: [place.reason] }
    // What a file of our own says runs, so a link in the project must not lead it out any more than what is placed.
    if (SURFACES[place.surface].ownFile) requireInside(context, request, place.file)
    const known = targets.get(place.file)?.entries ?? []
    targets.set(place.file, { ...place, entries: [...known, ...hooks.filter((hook) => hook.event === event)] })
    if (settings !== null) targets.set(settings, { file: settings, surface: place.surface, entries: hooks })
  }
  if (hooks.length > 0) return { files: [...targets.values()], reasons: [] }
  const place = hostFile(runtime, places, world)
  return 'reason' in place ? { files: [], reasons: [place.reason] } : NONE
}

const serverTargets: Part = (_context, { places, manifest, files, dir }, { runtime }, world) => {
  if (Object.keys(manifest.mcpServers ?? {}).length === 0) return NONE
  const place = mcpFile(runtime, places, world)
  if ('reason' in place) return { files: [], reasons: [place.reason] }
  const { mcp } = runtime
  if (mcp === undefined) return NONE
  return { files: [{ ...place, entries: hostServers(manifest, { ...runtime, mcp }, dir, files) }], reasons: [] }
}

const placedTargets: Part = (context, request, { runtime, body }, world) => {
  const { manifest, places } = request
  const names = [...manifest.skills, ...manifest.agents]
  if (names.length === 0 || body === null) return NONE
  const paths = runtimePaths(body, places.scope === 'project' ? places.root : null, world)
  const layout = places.scope === 'project' ? paths.project : paths.global
  const { files, left } = artefactsOf(manifest, request.files, layout)
  const targets = files.map((artefact) => placedTarget(context, request, artefact))
  const missing = partsWithoutPlace(request, layout)
  const where = places.scope === 'project' ? 'project' : 'home'
  return {
    files: targets.flatMap((target) => (typeof target === 'string' ? [] : [target])),
    reasons: [
      ...(missing === '' ? [] : [`${runtime.title} takes no ${missing} of a capability in a ${where}`]),
      ...left,
      ...targets.filter((target) => typeof target === 'string'),
    ],
  }
}

/** What of the bundle no folder of the host is for: `skills`, `agents`, both or nothing. */
const partsWithoutPlace = ({ manifest, files }: TargetRequest, layout: readonly PlacedKind[]): string => {
  const paths = new Set(files.map(({ path }) => path))
  const takes = (...kinds: readonly string[]): boolean => layout.some(({ kind }) => kinds.includes(kind))
  const skills = manifest.skills.some((stem) => paths.has(`skills/${stem}/SKILL.md`) || paths.has(`skills/${stem}.md`))
  const agents = manifest.agents.some((stem) => paths.has(`agents/${stem}.md`))
  return [
    ...(skills && !takes('skills', 'commands') ? ['skills'] : []),
    ...(agents && !takes('agents', 'kimi-agents') ? ['agents'] : []),
  ].join(' or ')
}

/** A file this large is no text that an agent reads. */
const LARGEST = 1024 * 1024

const placedTarget = (
  context: Context,
  request: TargetRequest,
  { file, source, convert }: Artefact,
): Target | string => {
  requireInside(context, request, file)
  if (source.size > LARGEST) return `${quote(source.path)} is ${source.size} bytes, too large to be placed`
  const from = join(request.from, source.path)
  const bytes = onDisk('read', from, () => context.disk.readFileSync(from))
  if (hashOf(bytes) !== source.sha512) {
    throw new GsdError('STATE_CHANGED', `${quote(source.path)} changed while it was read`, { hint: 'try again' })
  }
  const text = decodeUtf8(bytes)
  if (typeof text !== 'string') return `${quote(source.path)} is not text, so it was not placed`
  const placement = { source: source.path, text: convert(text), executable: source.executable }
  return { file, surface: 'placed-file', entries: [], placement }
}

/**
 * A project may come from anybody: a link in it must not lead what we place out of it. What is global stands in the homes
 * of the hosts, also where its own root lies in a project.
 */
const requireInside = ({ disk }: Context, { places }: TargetRequest, file: string): void => {
  if (places.scope === 'global') return
  const real = realFileOf(disk, file).file
  if (real.startsWith(places.realRoot + sep)) return
  throw new GsdError('HOST_SETTINGS_FILE', `${quote(file)} leads out of the project, to ${quote(real)}`, {
    hint: 'take the link out of the project, then run the command again; nothing was written',
    details: { file, real },
  })
}
