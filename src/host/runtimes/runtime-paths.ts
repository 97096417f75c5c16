import { join } from 'node:path'
import type { HomeDescriptor, LayoutItem, RuntimeBody } from '../../manifest/manifest.ts'
import { toConfigHome } from './described-runtime.ts'
import { expandHome, resolveHome, type HomeLookup } from './resolve-home.ts'

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
 * Resolves a runtime's descriptor (rules 28–31; hosts page, "Finding the home"). Pure: `exists` asks the disk.
 * For skills, `home` of the layout goes before `skillsHome`, and that before the configuration home.
 */
export const runtimePaths = (body: RuntimeBody, project: string | null, lookup: HomeLookup): RuntimePaths => {
  const home = resolveDescribedHome(body.configHome, lookup)
  const local = project === null || body.localConfigDir == null ? null : join(project, body.localConfigDir)
  const skillsHome =
    body.configHome.skillsHome == null ? home : resolveDescribedHome(body.configHome.skillsHome, lookup)
  const baseOf = (item: LayoutItem): string | null => {
    if (item.home != null) return expandHome(item.home.startsWith('~') ? item.home : `~/${item.home}`, lookup.home)
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

const resolveDescribedHome = (descriptor: HomeDescriptor, lookup: HomeLookup): string | null =>
  descriptor.kind === 'none' ? null : resolveHome(toConfigHome(descriptor), lookup)
