import { resolve } from 'node:path'
import type { Context } from '../../../context.ts'
import type { Diagnostic } from '../../../diagnostic.ts'
import { GsdError } from '../../../errors.ts'
import type { SkillsIndex } from '../../../skills/index/skills-index.ts'

export interface CatalogRequest {
  readonly 'skills-root': string | undefined
  readonly installed: boolean
  /** `ignore` to look at a catalog that differs from its lock. */
  readonly lock?: 'check' | 'ignore'
}

export interface OpenedCatalog {
  readonly index: SkillsIndex
  readonly warnings: readonly Diagnostic[]
}

/** Absolute path of the skills root that a command names: its flag, else SKILLS_ROOT, else the working directory. */
export const rootOf = (context: Context, named: string | undefined): string =>
  resolve(context.cwd, named ?? (context.env['SKILLS_ROOT']?.trim() || '.'))

/**
 * Opens the index of a command: that of its root, or with `--installed` where there is none, that of the capabilities.
 * @throws GsdError STATE_NO_SKILLS_INDEX and what {@link openSkillsIndex} throws
 */
export const openCatalog = async (context: Context, request: CatalogRequest): Promise<OpenedCatalog> => {
  const { openSkillsIndex } = await import('../../../skills/index/open-index.ts')
  const root = rootOf(context, request['skills-root'])
  const { disk } = context
  const { lock = 'check' } = request
  if (!request.installed) {
    const index = openSkillsIndex(root, { disk, lock })
    return { index, warnings: index.warnings }
  }
  const { installedFolders } = await import('../../../skills/index/installed-folders.ts')
  const { folders, warnings } = await installedFolders(context)
  try {
    const index = openSkillsIndex(root, { disk, lock, installed: folders })
    return { index, warnings: [...warnings, ...index.warnings] }
  } catch (error) {
    if (!(error instanceof GsdError) || error.code !== 'STATE_NO_SKILLS_INDEX') throw error
    if (request['skills-root'] !== undefined) throw error
  }
  const { openInstalledIndex } = await import('../../../skills/index/open-installed.ts')
  const opened = await openInstalledIndex(disk, root, folders)
  return { index: opened.index, warnings: [...warnings, ...opened.warnings] }
}
