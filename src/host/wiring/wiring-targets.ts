import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { FeatureManifest } from '../../manifest/manifest.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { decodeUtf8 } from '../../platform/text-file.ts'
import { quote } from '../../redact.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { hostArtifacts, type HostArtifact } from '../artifacts/host-artifacts.ts'
import { hostHooks } from '../hooks/host-hooks.ts'
import { hostServers } from '../hooks/host-servers.ts'
import type { LeftOut } from '../hooks/left-out.ts'
import { hookFileFor, mcpFileFor, type ConfigFileOptions } from '../runtimes/config-files.ts'
import type { KnownHost } from '../runtimes/known-hosts.ts'
import { runtimePaths, type PlacementFolder } from '../runtimes/runtime-paths.ts'
import type { DesiredHostFile } from './host-file-editor.ts'

/** What one capability is to have in a file of one host. */
export type WiringTarget = Omit<DesiredHostFile, 'id' | 'runtime'>

export interface WiringTargets {
  readonly files: readonly WiringTarget[]
  /** What of it the host cannot have. */
  readonly leftOut: readonly LeftOut[]
}

export interface WiringTargetRequest {
  readonly paths: ScopePaths
  readonly manifest: FeatureManifest
  readonly files: readonly BundleFile[]
  /** Where these files are now. */
  readonly from: string
  /** Where they will be: the real path of the installed bundle. */
  readonly dir: string
  readonly settings: string | null
  /** How to go on without this host, as a hint; default: not to name it. */
  readonly remedy?: string
}

/**
 * Everything of a capability that one host has a place for: hooks, servers, skills and agents.
 * @throws HOST_UNSUPPORTED for a host that the manifest excludes, HOST_SCRIPT for a script or program that no host can run
 */
export const resolveTargets = (context: Context, request: WiringTargetRequest, host: KnownHost): WiringTargets => {
  const lookup = { env: context.env, home: context.home, exists: existsSync, id: request.manifest.id }
  const parts = [hookTargets, serverTargets, placedTargets].map((part) => part(context, request, host, lookup))
  return {
    files: mergeTargets(parts.flatMap(({ files }) => files)),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  }
}

/** Some hosts read hooks and servers from one file. */
const mergeTargets = (targets: readonly WiringTarget[]): readonly WiringTarget[] =>
  targets.flatMap((target) => {
    const same = targets.filter(({ file, surface }) => file === target.file && surface === target.surface)
    if (same.length === 1 || target.surface === 'placed-file') return [target]
    return same[0] === target ? [{ ...target, entries: same.flatMap(({ entries }) => entries) }] : []
  })

type TargetResolver = (
  context: Context,
  request: WiringTargetRequest,
  host: KnownHost,
  lookup: ConfigFileOptions,
) => WiringTargets

const NONE: WiringTargets = { files: [], leftOut: [] }

const noPlace = (reason: string): LeftOut => ({ code: 'HOST_UNSUPPORTED', reason })

/** One file for all hooks, or one for each event, as the host has it. */
const hookTargets: TargetResolver = (_context, request, { runtime }, lookup) => {
  const { paths, manifest, settings } = request
  const { hooks, leftOut } = hostHooks(manifest, runtime, request)
  if ((manifest.hooks ?? []).length === 0) return NONE
  const targets = new Map<string, WiringTarget>()
  for (const event of new Set(hooks.map((hook) => hook.event))) {
    const place = hookFileFor(runtime, paths, { ...lookup, event })
    if ('reason' in place) return { files: [], leftOut: [...leftOut, noPlace(place.reason)] }
    const known = targets.get(place.file)?.entries ?? []
    targets.set(place.file, { ...place, entries: [...known, ...hooks.filter((hook) => hook.event === event)] })
    if (settings !== null) targets.set(settings, { file: settings, surface: place.surface, entries: hooks })
  }
  if (hooks.length > 0) return { files: [...targets.values()], leftOut }
  const place = hookFileFor(runtime, paths, lookup)
  return { files: [], leftOut: 'reason' in place ? [...leftOut, noPlace(place.reason)] : leftOut }
}

const serverTargets: TargetResolver = (_context, request, { runtime }, lookup) => {
  const { paths, manifest } = request
  if (Object.keys(manifest.mcpServers ?? {}).length === 0) return NONE
  const place = mcpFileFor(runtime, paths, lookup)
  if ('reason' in place) return { files: [], leftOut: [noPlace(place.reason)] }
  const { mcp } = runtime
  if (mcp === undefined) return NONE
  const { servers, leftOut } = hostServers(manifest, { ...runtime, mcp }, request)
  return { files: [{ ...place, entries: servers }], leftOut }
}

const placedTargets: TargetResolver = (context, request, { runtime, descriptor }, lookup) => {
  const { manifest, paths: places } = request
  const names = [...manifest.skills, ...manifest.agents]
  if (names.length === 0 || descriptor === null) return NONE
  const paths = runtimePaths(descriptor, places.scope === 'project' ? places.root : null, lookup)
  const layout = places.scope === 'project' ? paths.project : paths.global
  const { files, notPlaced } = hostArtifacts(manifest, request.files, layout)
  const targets = files.map((artefact) => placedTarget(context, request, artefact))
  const missing = unsupportedParts(request, layout)
  const where = places.scope === 'project' ? 'project' : 'home'
  return {
    files: targets.flatMap((target) => (typeof target === 'string' ? [] : [target])),
    leftOut: [
      ...(missing === '' ? [] : [`${runtime.title} takes no ${missing} of a capability in a ${where}`]),
      ...notPlaced,
      ...targets.filter((target) => typeof target === 'string'),
    ].map(noPlace),
  }
}

/** What of the bundle no folder of the host is for: `skills`, `agents`, both or nothing. */
const unsupportedParts = ({ manifest, files }: WiringTargetRequest, layout: readonly PlacementFolder[]): string => {
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
const MAX_PLACED_BYTES = 1024 * 1024

const placedTarget = (
  context: Context,
  request: WiringTargetRequest,
  { file, source, convert }: HostArtifact,
): WiringTarget | string => {
  if (source.size > MAX_PLACED_BYTES) return `${quote(source.path)} is ${source.size} bytes, too large to be placed`
  const from = join(request.from, source.path)
  const bytes = withDiskErrors('read', from, () => context.disk.readFileSync(from))
  if (sha512Hex(bytes) !== source.sha512) {
    throw new GsdError('STATE_CHANGED', `${quote(source.path)} changed while it was read`, { hint: 'try again' })
  }
  const text = decodeUtf8(bytes)
  if (typeof text !== 'string') return `${quote(source.path)} is not text, so it was not placed`
  const placement = { source: source.path, text: convert(text), executable: source.executable }
  return { file, surface: 'placed-file', entries: [], placement }
}
