import type { Context } from '../../context.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'
import { isLocked } from '../../transaction/lock-folder.ts'
import { otherProjects } from '../../transaction/relocation/other-projects.ts'
import { finding, type Finding } from './finding.ts'

/**
 * Operations that were interrupted in other projects, and wait for a command there. One whose folder is gone is found again
 * where the folder was moved to.
 */
export const interruptedProjects = (context: Context): readonly Finding[] =>
  otherProjects(context).flatMap(({ root, exists, journal, paths }) => {
    if (journal === null || root === null || isLocked(context.disk, paths.lock, context.identity)) return []
    const where = exists ? quote(root) : `${quote(root)}, which is gone`
    const hint = exists
      ? `gsd capability doctor --fix --project ${shellQuote(root)}`
      : `where it was moved to, run gsd capability doctor --fix; if it was deleted, delete ${quote(paths.journal)} too`
    return [
      {
        ...finding(
          'hand',
          context.global,
          'STATE_INTERRUPTED',
          `an interrupted ${quote(journal.command)} waits in ${where}`,
          hint,
        ),
        file: paths.journal,
      },
    ]
  })
