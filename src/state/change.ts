import type { ScopeName } from '../diagnostic.ts'
import type { HostEdit, TextPatch } from './host-edit.ts'
import { sameJson, type Json } from './json-text.ts'

/** A file of JSON members that an operation changes. */
export type StoreName = 'consent' | 'hosts' | 'state' | 'ledger'

/**
 * One change of an operation, written as an intention: enough to do it, to see whether it was done, and to undo it on
 * whatever the disk holds then. A plan is a list of these; the journal stores the plan; `--dry-run` prints it.
 */
export type Change =
  /** One member of a JSON file the program keeps (`consent`, `hosts`, `state`, `ledger`); null means absent. */
  | {
      readonly kind: 'record'
      readonly store: StoreName
      /** Two object keys from the file's root: `capabilities`, `<id>`. */
      readonly key: readonly string[]
      readonly before: Json
      readonly after: Json
    }
  /** A folder or file of the scope's `.gsd` is put in place, replaced or taken away by rename. */
  | {
      readonly kind: 'swap'
      /** Relative to `.gsd`: `capabilities/<id>` or `receipts/<id>.json`. */
      readonly target: string
      /** Relative to `.staging/<operation>/`; null when the target only goes. */
      readonly from: string | null
      /** Whether something stood there when the plan was made; it goes to `.trash/<operation>/<target>`. */
      readonly replaces: boolean
    }
  /** Text is spliced into a settings file of a host, or a file of ours is placed there. */
  | { readonly kind: 'host'; readonly edit: HostEdit }

/** `.journal.json`: the plan of the operation that runs, before its first change. */
export interface Journal {
  readonly schema: 1
  /** `<time in base 36>-<random>`; names the staging and trash folders. */
  readonly operation: string
  readonly command: string
  readonly scope: ScopeName
  /** Real root of the scope, so that a journal is never applied to another folder. */
  readonly root: string
  readonly changes: readonly Change[]
  /** Folders of the program's own that this operation made, outermost first; undone, they go when they are empty. */
  readonly made?: readonly string[]
  readonly spellings?: readonly OriginalFormatting[]
  /** Permission bits of files that the operation deletes, to be given back when it is undone. */
  readonly modes?: readonly { readonly file: string; readonly mode: number }[]
}

/**
 * How a store was spelt before, where that is not the program's own spelling (edited by hand, say): while nobody changed
 * the file since, undoing gives the very bytes back. A member's `before` alone would give the same content, respelt.
 */
export interface OriginalFormatting {
  readonly store: StoreName
  /** Hex sha512 of the bytes after the operation's change; null: the file is gone. */
  readonly hashAfter: string | null
  /** The stretch that differs, at its offset in the text after the change: `remove` stands there and `insert` was before. */
  readonly patch: TextPatch
}

/** A change of one member of a kept file. What is kept is JSON, whatever its type here. */
export const recordChange = (
  store: StoreName,
  key: readonly string[],
  before: object | string | null,
  after: object | string | null,
): Change => ({ kind: 'record', store, key, before: before as Json, after: after as Json })

/** Without records that would say what they say already: what changes nothing is not written. */
export const withoutUnchanged = (changes: readonly Change[]): readonly Change[] =>
  changes.filter((change) => change.kind !== 'record' || !sameJson(change.before, change.after))
