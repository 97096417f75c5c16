import { quote } from '../redact.ts'
import type { LedgerEntry } from '../state/ledger.ts'

type Locator = Pick<LedgerEntry, 'resolved' | 'integrity'>

/** Where the same content is now, as a part of a sentence: `is now at commit …`. */
export const locatorWords = (before: Locator, { resolved, integrity }: Locator): string => {
  if (resolved.tag !== undefined && resolved.tag !== before.resolved.tag)
    return `now has the tag ${quote(resolved.tag)}`
  if (resolved.commit !== undefined && resolved.commit !== before.resolved.commit)
    return `is now at commit ${resolved.commit}`
  if (resolved.version !== undefined && resolved.version !== before.resolved.version)
    return `now has the version ${resolved.version}`
  if (integrity !== null && integrity !== before.integrity)
    return `is now in an archive with the integrity ${integrity}`
  return 'now comes from elsewhere'
}
