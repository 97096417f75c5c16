import type { Change, Json, StoreName } from '../../store/journal-entry.ts'
import { canonicalJson } from '../../trust/signature.ts'

/** A change of one member of a kept file. What is kept is JSON, whatever its type here. */
export const record = (
  store: StoreName,
  key: readonly string[],
  before: object | string | null,
  after: object | string | null,
): Change => ({ kind: 'record', store, key, before: before as Json, after: after as Json })

/** Without records that would say what they say already: what changes nothing is not written. */
export const withoutIdle = (changes: readonly Change[]): readonly Change[] =>
  changes.filter((change) => change.kind !== 'record' || canonicalJson(change.before) !== canonicalJson(change.after))
