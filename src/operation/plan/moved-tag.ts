import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'

/**
 * A tag is meant to stay where it is: one that names another commit than the ledger recorded was moved, by a mistake or by
 * somebody who should not.
 * @throws FETCH_TAG_MOVED
 */
export const refuseMovedTag = (id: string, before: LedgerEntry | null, after: LedgerEntry): void => {
  const { tag, commit } = before?.resolved ?? {}
  if (tag === undefined || commit === undefined || after.resolved.tag !== tag || after.resolved.commit === commit)
    return
  throw new GsdError(
    'FETCH_TAG_MOVED',
    `the tag ${quote(tag)} of ${quote(id)} names another commit than when it was installed: ${after.resolved.commit ?? ''}, and it was ${commit}`,
    {
      hint: 'ask whoever publishes it why; --force takes what the tag names now',
      details: { id, tag, recorded: commit, found: after.resolved.commit },
    },
  )
}
