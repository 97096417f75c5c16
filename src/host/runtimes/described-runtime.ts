import type { HomeDescriptor, RuntimeManifest } from '../../manifest/manifest.ts'
import type { ConfigHome, HostRuntime } from './runtime.ts'

/** What the manifest of a host runtime says about its files. */
export type DescribedRuntime = Pick<HostRuntime, 'id' | 'title' | 'configHome' | 'localDir' | 'surface' | 'files'>

/** The facts of a host that its manifest gives. A file name comes from the surface, or from `settingsFileByScope`. */
export const describeRuntime = ({ id, title, runtime }: RuntimeManifest): DescribedRuntime => {
  const configHome = toConfigHome(runtime.configHome)
  const localDir = runtime.localConfigDir ?? null
  const surface = runtime.hooksSurface
  const files = fileTemplatesFor(surface, localDir, runtime.hostBehaviors)
  return {
    id,
    title,
    configHome,
    localDir,
    surface,
    files: configHome.kind === 'none' ? { ...files, global: null } : files,
  }
}

/** The home of a valid manifest, without the members that its kind does not use. */
export const toConfigHome = ({ kind, name, parent, env, probe, probeExists }: HomeDescriptor): ConfigHome => {
  const probes = { ...(probe == null ? {} : { probe }), ...(probeExists == null ? {} : { probeExists }) }
  const common = { name: name ?? '', env: env ?? [] }
  switch (kind) {
    case 'dot-home':
    case 'xdg':
      return { kind, ...common }
    case 'dot-home-nested':
      return { kind, ...common, parent: parent ?? '', ...probes }
    case 'generic-agents-root':
      return { kind, env: common.env, probe: probe ?? [`~/.${name ?? ''}`], probeExists: probeExists ?? '' }
    case 'none':
      return { kind }
  }
}

/** Names of files by surface: below the configuration home, and below the host's folder in a project. */
const FILE_NAMES: Readonly<
  Record<HostRuntime['surface'], { readonly global: string; readonly project: string | null } | null>
> = {
  'settings-json': { global: 'settings.json', project: 'settings.json' },
  'codex-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'cursor-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'windsurf-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'copilot-inline': { global: 'hooks/gsd-<id>.json', project: 'hooks/gsd-<id>.json' },
  'cline-rules': { global: 'hooks/<event>', project: 'hooks/<event>' },
  'kimi-hooks-toml': { global: 'config.toml', project: null },
  'mcp-servers-json': null,
  'mcp-servers-toml': null,
  'opencode-mcp-json': null,
  'placed-file': null,
  none: null,
}

const fileTemplatesFor = (
  surface: HostRuntime['surface'],
  localDir: string | null,
  behaviors: unknown,
): HostRuntime['files'] => {
  const names = FILE_NAMES[surface]
  if (names === null) return { global: null, project: null }
  const byScope = ownMember(behaviors, 'settingsFileByScope')
  const nameFor = (scope: 'global' | 'local', usual: string): string => {
    const name = surface === 'settings-json' ? ownMember(byScope, scope) : undefined
    return typeof name === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : usual
  }
  return {
    global: `<home>/${nameFor('global', names.global)}`,
    project:
      localDir === null || names.project === null ? null : `<project>/${localDir}/${nameFor('local', names.project)}`,
  }
}

const ownMember = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
