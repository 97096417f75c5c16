import type { BundleFile } from '../bundle/bundle.ts'
import { laneOf } from '../manifest/lane.ts'
import type { CommandFamily, FeatureManifest, Manifest, McpServer, Reviewer } from '../manifest/manifest.ts'
import { isPlaced, isRunnable } from './runnable-files.ts'
import type { Surface } from './surface.ts'

type HashOf = (path: string) => string | null

/**
 * Every executable surface of a capability, in a fixed order: hooks, servers, gates, command modules, lane, scripts of
 * skills.
 * `files` are the files of the bundle; their hashes are part of the surfaces.
 */
export const listSurfaces = (manifest: Manifest, files: readonly BundleFile[]): readonly Surface[] => {
  const hashes = new Map(files.map((file) => [file.path, file.sha512]))
  const hashOf: HashOf = (path) => hashes.get(path) ?? null
  const feature = manifest.role === 'feature' ? featureSurfaces(manifest, hashOf) : []
  const commands =
    'commands' in manifest ? (manifest.commands ?? []).map((family) => commandSurface(family, hashOf)) : []
  const lane = laneOf(manifest)
  const declared = [...feature, ...commands, ...(lane === null ? [] : [laneSurface(lane)])]
  return [...declared, ...skillScripts(files, declared)]
}

/**
 * Files that can run and lie where an agent finds them. Without a declared surface they are all there is to run, so then
 * every file that can run is one, wherever it lies.
 */
const skillScripts = (files: readonly BundleFile[], declared: readonly Surface[]): Surface[] => {
  const scripts = new Set(declared.flatMap((surface) => (surface.kind === 'hook' ? [surface.script] : [])))
  return files
    .filter((file) => isRunnable(file) && (declared.length === 0 || isPlaced(file)) && !scripts.has(file.path))
    .map(({ path, executable, sha512 }): Surface => ({ kind: 'skill-script', script: path, executable, sha512 }))
}

const featureSurfaces = (manifest: FeatureManifest, hashOf: HashOf): Surface[] => [
  ...(manifest.hooks ?? []).map((hook): Surface => ({
    kind: 'hook',
    event: hook.event,
    matcher: hook.matcher ?? null,
    timeout: hook.timeout ?? null,
    script: hook.script,
    sha512: hashOf(hook.script),
  })),
  ...Object.entries(manifest.mcpServers ?? {}).map(([name, server]) => serverSurface(name, server, hashOf)),
  ...manifest.gates.flatMap((gate): Surface[] => {
    if (!('predicate' in gate.check) || gate.check.predicate.kind !== 'command-exit-zero') return []
    const { command, timeout } = gate.check.predicate
    return [
      {
        kind: 'gate',
        point: gate.point,
        command,
        timeout: timeout ?? null,
        blocking: gate.blocking,
        onError: gate.onError,
        when: gate.when ?? null,
      },
    ]
  }),
]

const serverSurface = (name: string, server: McpServer, hashOf: HashOf): Surface =>
  'url' in server
    ? { kind: 'mcp-remote', name, transport: server.type, url: server.url, headers: server.headers ?? {} }
    : {
        kind: 'mcp-server',
        name,
        command: server.command,
        args: server.args ?? [],
        env: server.env ?? {},
        cwd: server.cwd ?? null,
        sha512: hashOf(server.command.replace(/^\.\//, '')),
      }

const commandSurface = (family: CommandFamily, hashOf: HashOf): Surface => ({
  kind: 'command',
  family: family.family,
  module: family.module,
  router: family.router,
  subcommands: family.subcommands ?? [],
  sha512: hashOf(family.module),
})

const laneSurface = (reviewer: Reviewer): Surface => {
  const { slug, invoke } = reviewer
  const body = { transport: reviewer.transport, probe: reviewer.probe, invoke, handler: reviewer.handler }
  if (reviewer.transport === 'openai-http')
    return {
      kind: 'lane-http',
      slug,
      host: stringOrNull(invoke['defaultHost']),
      hostConfigKey: stringOrNull(invoke['hostConfigKey']),
      body,
    }
  const args = Array.isArray(invoke['args']) ? invoke['args'].filter((arg) => typeof arg === 'string') : []
  return { kind: 'lane-process', slug, binary: stringOrNull(invoke['binary']) ?? '', args, body }
}

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
