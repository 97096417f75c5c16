import type { Context } from '../../context.ts'
import { quote } from '../../redact.ts'
import { shellWord } from '../../shell-word.ts'
import { isHeld } from '../../store/lock-folder.ts'
import { otherProjects } from '../moved/other-projects.ts'
import { finding, type Finding } from './finding.ts'

/**
 * Operations that were interrupted in other projects, and wait for a command there. One whose folder is gone is found again
 * where the folder was moved to.
 */
export const interruptedElsewhere = (context: Context): readonly Finding[] =>
  otherProjects(context).flatMap(({ root, isThere, journal, places }) => {
    if (journal === null || root === null || isHeld(context.disk, places.lock, context.identity)) return []
    const where = isThere ? quote(root) : `${quote(root)}, which is gone`
    const hint = isThere
      ? `gsd capability doctor --fix --project ${shellWord(root)}`
      : `where it was moved to, run gsd capability doctor --fix; if it was deleted, delete ${quote(places.journal)} too`
    return [
      {
        ...finding(
          'hand',
          context.global,
          'STATE_INTERRUPTED',
          `an interrupted ${quote(journal.command)} waits in ${where}`,
          hint,
        ),
        file: places.journal,
      },
    ]
  })
