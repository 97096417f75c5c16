import { join } from 'node:path'
import type { HomeDescriptor, LayoutItem, RuntimeBody } from '../../manifest/manifest.ts'
import { expandHome, resolveHome, type HomeLookup } from './resolve-home.ts'
import type { ConfigHome } from './runtime.ts'

/** Where a host runtime keeps things, on this machine and in one project. All absolute. */
export interface RuntimePaths {
  /** Configuration home; null for a runtime that has none. */
  readonly home: string | null
  /** Folder of the runtime in the project; null without a project, or where it has none. */
  readonly local: string | null
  /** Where skills for everybody go; null where the runtime takes none. */
  readonly skills: string | null
  readonly global: readonly PlacementFolder[]
  readonly project: readonly PlacementFolder[]
}

/** A folder into which artefacts of one kind are placed. */
export interface PlacementFolder {
  readonly kind: LayoutItem['kind']
  readonly folder: string
  readonly prefix: string
  readonly nesting: LayoutItem['nesting']
  /** Name of the function that makes the host's form of it; null: it is placed as it is. */
  readonly converter: string | null
}

/**
 * Resolves a runtime's descriptor (rules 28–31; hosts page, "Finding the home"). Pure: the disk is asked through `exists`.
 * For skills, `home` of the layout goes before `skillsHome`, and that before the configuration home.
 */
export const runtimePaths = (body: RuntimeBody, project: string | null, world: HomeLookup): RuntimePaths => {
  const home = resolveDescribedHome(body.configHome, world)
  const local = project === null || body.localConfigDir == null ? null : join(project, body.localConfigDir)
  const skillsHome = body.configHome.skillsHome == null ? home : resolveDescribedHome(body.configHome.skillsHome, world)
  const baseOf = (item: LayoutItem): string | null => {
    if (item.home != null) return expandHome(item.home.startsWith('~') ? item.home : `~/${item.home}`, world.home)
    return item.kind === 'skills' ? skillsHome : home
  }
  const global = body.artifactLayout.global.flatMap((item) => placementFoldersFor(item, baseOf(item)))
  return {
    home,
    local,
    skills: global.find(({ kind }) => kind === 'skills')?.folder ?? null,
    global,
    project: body.artifactLayout.local.flatMap((item) => placementFoldersFor(item, local)),
  }
}

const placementFoldersFor = (item: LayoutItem, base: string | null): PlacementFolder[] => {
  if (base === null) return []
  const { kind, destSubpath, prefix, nesting, converter } = item
  return [{ kind, folder: join(base, destSubpath), prefix, nesting, converter: converter ?? null }]
}

const resolveDescribedHome = (descriptor: HomeDescriptor, world: HomeLookup): string | null =>
  descriptor.kind === 'none' ? null : resolveHome(toConfigHome(descriptor), world)

/** A descriptor that passed its rules, in the form that is resolved. */
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
