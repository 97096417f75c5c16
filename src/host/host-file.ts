import { join } from 'node:path'
import type { ScopeName } from '../diagnostic.ts'
import type { SurfaceKind } from './host-edit.ts'
import { expandHome, resolveHome, type HomeWorld } from './resolve-home.ts'
import type { HostRuntime } from './runtimes/runtime.ts'

/** Where hooks go in one host, or why they go nowhere. */
export type HostPlace = { readonly file: string; readonly surface: SurfaceKind } | { readonly reason: string }

/** What a path may depend on. */
export interface PlaceOptions extends HomeWorld {
  /** Capability. Only hosts with a file for each capability need it. */
  readonly id?: string
  /** The host's event. Only hosts with a file for each event need it. */
  readonly event?: string
}

/**
 * The file a host reads its hooks from in one scope. Pure: links are followed when it is opened. Without `id` or `event`
 * their places in the path are shown as `<id>` and `<event>`.
 */
export const hostFile = (
  runtime: HostRuntime,
  places: { readonly scope: ScopeName; readonly root: string },
  options: PlaceOptions,
): HostPlace => {
  if (runtime.surface === 'none') return { reason: runtime.noSurface ?? `${runtime.title} has no hooks` }
  const template = runtime.files[places.scope]
  if (template === null)
    return { reason: `${runtime.title} reads no hooks from a ${places.scope === 'project' ? 'project' : 'home'}` }
  const homes = (name: string): string => {
    if (name === 'project') return places.root
    return resolveHome((name === 'hooks-home' ? runtime.hooksHome : undefined) ?? runtime.configHome, options)
  }
  const [, base = '', rest = ''] = /^(~|<[a-z-]+>)\/(.*)$/.exec(template) ?? []
  const root = base === '~' ? expandHome(base, options.home) : homes(base.slice(1, -1))
  const below = rest.replace('<id>', () => options.id ?? '<id>').replace('<event>', () => options.event ?? '<event>')
  return { file: join(root, below), surface: runtime.surface }
}
