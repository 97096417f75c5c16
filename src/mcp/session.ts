import { basename } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { type Config, configOf } from '../loop/config/config.ts'
import { readLayers } from '../loop/config/read-layers.ts'
import { runtimeOf } from '../loop/runtime.ts'
import type { LoadedRegistry } from '../overlay/loaded-registry.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { foldersOf, loadReadOnly } from '../skills/index/installed-folders.ts'
import { openSkillsIndex } from '../skills/index/open-index.ts'
import { openInstalledIndex } from '../skills/index/open-installed.ts'
import type { SkillsIndex } from '../skills/index/skills-index.ts'
import { INDEX_FILE, LOCK_FILE } from '../skills/limits.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import { joinCatalogs, type Catalogs } from './catalogs.ts'

/** What the tools of one connection work on. Everything is read when it is first asked for, and again when it changed. */
export interface Session {
  /** All skills: of each root, then of installed capabilities. @throws GsdError when a root cannot be read */
  catalogs(): Promise<Catalogs>
  registry(): Promise<LoadedRegistry>
  /** The configuration of the project and the user as it is now, and the host runtime that it or the environment names. */
  loop(): Promise<LoopView>
  /** The index of each root as it is now, also when it differs from its lock. */
  lockedRoots(): Promise<readonly SkillsIndex[]>
}

/** What decides which hooks run. */
export interface LoopView {
  readonly registry: LoadedRegistry['registry']
  readonly config: Config
  /** Null: nobody names one. */
  readonly runtime: string | null
}

export interface SessionRequest {
  readonly context: Context
  /** Absolute paths. */
  readonly roots: readonly string[]
}

export const openSession = ({ context, roots }: SessionRequest): Session => {
  const { disk } = context
  const registry = remembered(
    () => stampsOf(disk, registryFiles(context)),
    () => loadReadOnly(context),
  )
  const installed = remembered(
    () => stampsOf(disk, registryFiles(context)),
    async () => {
      const folders = foldersOf((await registry()).registry)
      return folders.size === 0 ? null : (await openInstalledIndex(disk, context.cwd, folders)).index
    },
  )
  const opened = roots.map((root) =>
    remembered(
      () =>
        stampsOf(
          disk,
          [INDEX_FILE, LOCK_FILE].map((file) => `${root}/${file}`),
        ),
      () => Promise.resolve(openRoot(disk, root)),
    ),
  )
  let joined: { readonly parts: readonly SkillsIndex[]; readonly catalogs: Catalogs } | null = null
  const catalogs = async (): Promise<Catalogs> => {
    const found = [...(await Promise.all(opened.map((open) => open()))), await installed()]
    const parts = found.filter((index) => index !== null)
    const known = joined
    if (known !== null && known.parts.length === parts.length && parts.every((part, at) => part === known.parts[at]))
      return known.catalogs
    joined = { parts, catalogs: joinCatalogs(parts) }
    return joined.catalogs
  }
  const lockedRoots = (): Promise<readonly SkillsIndex[]> =>
    Promise.resolve(roots.map((root) => openRoot(disk, root, 'ignore')))
  const loop = async (): Promise<LoopView> => {
    const loaded = (await registry()).registry
    const layers = readLayers({ project: context.project?.realRoot ?? null, user: context.user.config })
    const config = configOf(loaded, layers)
    return { registry: loaded, config, runtime: runtimeOf({ given: undefined, env: context.env, config }) }
  }
  return { catalogs, registry, loop, lockedRoots }
}

/** Keeps what was read as long as the stamps of its files are the same. */
const remembered = <T>(stamps: () => string, read: () => Promise<T>): (() => Promise<T>) => {
  let kept: { readonly stamps: string; readonly value: T } | null = null
  return async () => {
    const now = stamps()
    if (kept?.stamps === now) return kept.value
    const value = await read()
    kept = { stamps: now, value }
    return value
  }
}

const stampsOf = (disk: Disk, files: readonly string[]): string =>
  files
    .map((file) => {
      try {
        const { ino, size, mtimeMs, ctimeMs } = disk.lstatSync(file)
        return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
      } catch {
        return '-'
      }
    })
    .join('\n')

const registryFiles = (context: Context): readonly string[] => [
  ...scopesOf(context).flatMap(({ capabilities, ledger, state }) => [capabilities, ledger, state]),
  context.user.grants,
]

/** A root that cannot be used is named by its last name only: the agent has no use for the rest. */
const openRoot = (disk: Disk, root: string, lock: 'check' | 'ignore' = 'check'): SkillsIndex => {
  try {
    return openSkillsIndex(root, { disk, lock })
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    const message = error.message.replaceAll(quote(root), quote(basename(root))).replaceAll(root, basename(root))
    throw new GsdError(error.code, `skills root ${quote(basename(root))}: ${message}`, hint)
  }
}
