import { join } from 'node:path'
import type { ScopeName } from '../../diagnostic.ts'
import type { SurfaceKind } from '../../state/host-edit.ts'
import { expandHome, resolveHome, type HomeLookup } from './resolve-home.ts'
import type { HooksOff, HostRuntime } from './runtime.ts'

/** The file of one host for something, or why there is none. */
export type ConfigFileLocation = { readonly file: string; readonly surface: SurfaceKind } | { readonly reason: string }

/** What a path may depend on. */
export interface ConfigFileOptions extends HomeLookup {
  /** Capability. Only hosts with a file for each capability need it. */
  readonly id?: string
  /** The host's event. Only hosts with a file for each event need it. */
  readonly event?: string
}

/** A scope and its folder. */
export interface ScopeRoot {
  readonly scope: ScopeName
  readonly root: string
}

/**
 * The file a host reads its hooks from in one scope. Pure: links are followed when it is opened. Without `id` or `event`
 * their places in the path are shown as `<id>` and `<event>`.
 */
export const hookFileFor = (runtime: HostRuntime, paths: ScopeRoot, options: ConfigFileOptions): ConfigFileLocation => {
  if (runtime.surface === 'none') return { reason: runtime.noSurfaceReason ?? `${runtime.title} has no hooks` }
  const template = runtime.files[paths.scope]
  if (template === null) return { reason: `${runtime.title} reads no hooks from a ${SCOPE_LABELS[paths.scope]}` }
  return { file: expandTemplate(template, runtime, paths.root, options), surface: runtime.surface }
}

/** The file a host reads MCP servers from in one scope. Pure. */
export const mcpFileFor = (runtime: HostRuntime, paths: ScopeRoot, options: ConfigFileOptions): ConfigFileLocation => {
  const { mcp, title } = runtime
  if (mcp === undefined) return { reason: `no place is known where ${title} reads MCP servers` }
  const template = mcp.files[paths.scope]
  if (template === null) return { reason: `${title} reads no MCP servers from a ${SCOPE_LABELS[paths.scope]}` }
  return { file: expandTemplate(template, runtime, paths.root, options), surface: mcp.surface }
}

/**
 * Every file in which a host reads hooks of its form, in the home and, where there is one, in the project: an entry of
 * ours may have been moved from one to another. Empty for a host whose files are each for one capability or event.
 */
export const listHookFiles = (
  runtime: HostRuntime,
  project: string | null,
  options: ConfigFileOptions,
): readonly string[] => {
  const templates = [runtime.files.global, runtime.files.project, ...(runtime.moreFiles ?? [])]
  return templates.flatMap((template) => {
    if (template === null || /<(?:id|event)>/.test(template)) return []
    if (project === null && template.startsWith('<project>')) return []
    return [expandTemplate(template, runtime, project ?? '', options)]
  })
}

/** What a scope is called where a host keeps its files. */
/** The files with a setting that may switch all hooks of a host off: the user's, and of a project its own. */
export const listSwitchFiles = (
  runtime: HostRuntime,
  project: string | null,
  options: ConfigFileOptions,
): readonly (Pick<HooksOff, 'member' | 'value'> & { readonly file: string })[] =>
  (runtime.hooksOff ?? []).flatMap(({ files, member, value }) =>
    files
      .filter((template) => project !== null || !template.startsWith('<project>'))
      .map((template) => ({ file: expandTemplate(template, runtime, project ?? '', options), member, value })),
  )

export const SCOPE_LABELS = { global: 'home', project: 'project' } as const satisfies Record<ScopeName, string>

const expandTemplate = (template: string, runtime: HostRuntime, root: string, options: ConfigFileOptions): string => {
  const [, base = '', rest = ''] = /^(~|<[a-z-]+>)\/(.*)$/.exec(template) ?? []
  const homes = { '<hooks-home>': runtime.hooksHome, '<mcp-home>': runtime.mcp?.home }
  const baseOf = (): string => {
    if (base === '~') return expandHome(base, options.home)
    if (base === '<project>') return root
    return resolveHome(homes[base as keyof typeof homes] ?? runtime.configHome, options)
  }
  const below = rest.replace('<id>', () => options.id ?? '<id>').replace('<event>', () => options.event ?? '<event>')
  return join(baseOf(), below)
}
