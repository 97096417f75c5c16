import type { Diagnostic } from '../../../diagnostic.ts'
import { GsdError } from '../../../errors.ts'
import type { CheckReport } from '../../../skills/index/check-index.ts'
import { defineCommand } from '../../command.ts'
import { diagnosticText } from '../../view/diagnostic-text.ts'
import { countText, type View } from '../../view/view.ts'
import { rootOf } from './open-catalog.ts'
import { ROOT_FLAGS } from './skills-flags.ts'

export const skillsCheck = defineCommand({
  noun: 'skills',
  verb: 'check',
  summary: 'Judge the skills index: form, mirror, paths, whether it is up to date, and the lock.',
  recovers: false,
  args: [],
  flags: ROOT_FLAGS,
  examples: ['gsd skills check', 'gsd skills check --skills-root ./my-skills --json'],
  async run(context, { flags }) {
    const [{ checkIndex }, { realRoot, openSkillsIndex }, { CAPABILITY_FIELD }] = await Promise.all([
      import('../../../skills/index/check-index.ts'),
      import('../../../skills/index/open-index.ts'),
      import('../../../skills/index/entry.ts'),
    ])
    const { disk } = context
    const root = realRoot(disk, rootOf(context, flags['skills-root']))
    const { folders, warnings } = flags.installed
      ? await (await import('../../../skills/index/installed-folders.ts')).installedFolders(context)
      : { folders: new Map<string, string>(), warnings: [] }
    const report = await checkIndex(disk, root, (entry) => entry[CAPABILITY_FIELD] !== undefined)
    const added = flags.installed
      ? await (await import('../../../skills/index/check-installed.ts')).checkInstalled(disk, root, folders)
      : []
    const { verifyCatalog } = await import('../../../skills/bodies/make-lock.ts')
    const isBroken = report.entries === 0 && report.findings.some(({ severity }) => severity === 'error')
    const lock = isBroken
      ? { locked: false, findings: [] }
      : await verifyCatalog(openSkillsIndex(root, { disk, lock: 'ignore' }))
    const findings = [...report.findings, ...added, ...lock.findings]
    const error = failed(findings)
    return {
      data: { root, entries: report.entries, skills: report.skills, locked: lock.locked, diagnostics: findings },
      human: (view) => text(report, findings, view),
      warnings,
      ...(error === null ? {} : { error }),
    }
  },
})

/** What is wrong with the index itself is invalid; an index that is only out of date is drift. */
const failed = (findings: readonly Diagnostic[]): GsdError | null => {
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return null
  const isDrift = errors.every(({ code }) => code === 'STATE_SKILLS_DRIFT' || code === 'STATE_SKILL_MISSING')
  return new GsdError(
    isDrift ? 'STATE_SKILLS_DRIFT' : 'VALIDATION_FAILED',
    `${countText(errors.length, 'error')} found`,
    {
      hint: isDrift ? 'gsd skills index' : 'each is listed above with its fix',
    },
  )
}

const text = ({ entries }: CheckReport, findings: readonly Diagnostic[], view: View): string =>
  findings.length === 0
    ? `${view.style('green', 'valid')} ${countText(entries, 'skill')}`
    : findings.map((finding) => diagnosticText(finding, view)).join('\n')
