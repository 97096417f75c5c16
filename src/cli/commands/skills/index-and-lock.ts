import { resolve } from 'node:path'
import type { Diagnostic } from '../../../diagnostic.ts'
import { GsdError } from '../../../errors.ts'
import { defineCommand } from '../../command.ts'
import { countText } from '../../view/view.ts'
import { rootOf } from './open-catalog.ts'
import { ROOT_FLAGS } from './skills-flags.ts'

export const skillsIndex = defineCommand({
  noun: 'skills',
  verb: 'index',
  summary: 'Write skills_index.json and its mirror from the SKILL.md files below a root.',
  args: [{ name: 'root', summary: 'folder that holds skills/ (default: as --skills-root)', optional: true }],
  flags: ROOT_FLAGS,
  examples: ['gsd skills index', 'gsd skills index ./my-skills --dry-run'],
  async run(context, { args: [named], flags }) {
    if (named !== undefined && flags['skills-root'] !== undefined)
      throw new GsdError('USAGE_CONFLICT', 'the root is given twice', { hint: 'leave out --skills-root' })
    const [{ planIndex }, { realRoot }] = await Promise.all([
      import('../../../skills/index/index-plan.ts'),
      import('../../../skills/index/open-index.ts'),
    ])
    const { disk } = context
    const root = realRoot(
      disk,
      named === undefined ? rootOf(context, flags['skills-root']) : resolve(context.cwd, named),
    )
    const warnings: Diagnostic[] = []
    const installed = []
    if (flags.installed) {
      const { installedFolders } = await import('../../../skills/index/installed-folders.ts')
      const { installedEntries } = await import('../../../skills/index/installed-entries.ts')
      const found = await installedFolders(context)
      const read = await installedEntries(disk, found.folders)
      warnings.push(...found.warnings, ...read.warnings)
      installed.push(...read.entries)
    }
    const plan = await planIndex(disk, root, installed)
    const written = plan.writes.map(({ file }) => file)
    if (!flags['dry-run'] && written.length > 0)
      (await import('../../../skills/index/write-files.ts')).writeFiles(context, root, plan.writes, plan.text)
    const done = flags['dry-run'] ? 'would write' : 'wrote'
    return {
      data: { root, skills: plan.entries.length, written, dryRun: flags['dry-run'] },
      human: () =>
        [
          `${countText(plan.entries.length, 'skill')} below ${root}`,
          ...(written.length === 0 ? ['nothing to do: the index is up to date'] : written.map((it) => `${done} ${it}`)),
        ].join('\n'),
      warnings: [...warnings, ...plan.warnings],
    }
  },
})

export const skillsLock = defineCommand({
  noun: 'skills',
  verb: 'lock',
  summary: 'Record the sha512 of the index and of each skill, which every read is then checked against.',
  args: [],
  flags: { 'skills-root': ROOT_FLAGS['skills-root'] },
  examples: ['gsd skills lock', 'gsd skills lock --skills-root ./my-skills --dry-run'],
  async run(context, { flags }) {
    const [{ openSkillsIndex }, { makeLock }, { formatLock }, { readPresent }, { LOCK_FILE, SKILL_LIMITS }] =
      await Promise.all([
        import('../../../skills/index/open-index.ts'),
        import('../../../skills/bodies/make-lock.ts'),
        import('../../../skills/bodies/lock-file.ts'),
        import('../../../skills/bodies/confined-file.ts'),
        import('../../../skills/limits.ts'),
      ])
    const { disk } = context
    const index = openSkillsIndex(rootOf(context, flags['skills-root']), { disk, lock: 'ignore' })
    const lock = await makeLock(index)
    const text = formatLock(lock)
    const before = readPresent(disk, index.root, LOCK_FILE, SKILL_LIMITS.lock)
    const isSame = before !== null && Buffer.from(text).equals(before)
    if (!flags['dry-run'] && !isSame)
      (await import('../../../skills/index/write-files.ts')).writeFiles(
        context,
        index.root,
        [{ file: LOCK_FILE, before }],
        text,
      )
    const written = isSame ? [] : [LOCK_FILE]
    const done = isSame
      ? 'nothing to do: the lock is up to date'
      : `${flags['dry-run'] ? 'would write' : 'wrote'} ${LOCK_FILE}`
    return {
      data: { root: index.root, skills: lock.skills.size, index: lock.index, written, dryRun: flags['dry-run'] },
      human: () => `${countText(lock.skills.size, 'skill')} locked\n${done}`,
      warnings: index.warnings,
    }
  },
})
