import type { ScopeName } from '../diagnostic.ts'
import type { HostEdit, TextPatch } from './host-edit.ts'
import { sameJson, type Json } from './json-text.ts'

/** A JSON file with members that operations change. */
export type StoreName = 'grants' | 'hosts' | 'state' | 'ledger'

/**
 * One change of an operation, with everything needed to make it, to see whether it was made, and to undo it on the disk as
 * it is then. A plan is a list of changes; the journal stores it, `--dry-run` prints it.
 */
export type Change =
  /** Sets one member of a store; null means absent. */
  | {
      readonly kind: 'record'
      readonly store: StoreName
      /** Two object keys from the file's root: `capabilities`, `<id>`. */
      readonly key: readonly string[]
      readonly before: Json
      readonly after: Json
    }
  /** Adds, replaces or removes a folder or file of the scope's `.gsd` by renaming. */
  | {
      readonly kind: 'swap'
      /** Relative to `.gsd`: `capabilities/<id>` or `receipts/<id>.json`. */
      readonly target: string
      /** Relative to `.staging/<operation>/`; null when the target is only removed. */
      readonly from: string | null
      /** Whether the target existed when the plan was made; it is moved to `.trash/<operation>/<target>`. */
      readonly replaces: boolean
    }
  /** Edits a settings file of a host, or places a file of ours there. */
  | { readonly kind: 'host'; readonly edit: HostEdit }

/** `.journal.json`: the plan of the running operation, written before its first change. */
export interface Journal {
  readonly schema: 1
  /** `<time in base 36>-<random>`; names the staging and trash folders. */
  readonly operation: string
  readonly command: string
  readonly scope: ScopeName
  /** Real root of the scope, so that a journal is never applied to another folder. */
  readonly root: string
  readonly changes: readonly Change[]
  /** Folders of our own that this operation created, outermost first; undo removes the empty ones. */
  readonly made?: readonly string[]
  /** Named `spellings` in journals of older versions. */
  readonly formatting?: readonly OriginalFormatting[]
  /** Permission bits of files that the operation deletes, for undo. */
  readonly modes?: readonly { readonly file: string; readonly mode: number }[]
}

/**
 * The text of a store that was not formatted by the program, for example after an edit by hand. If nobody changed the file
 * since, undo restores its exact bytes with it.
 */
export interface OriginalFormatting {
  readonly store: StoreName
  /** Hex sha512 of the bytes after the change; null: the file was deleted. */
  readonly hashAfter: string | null
  /** From the text after the change to the text before it. */
  readonly patch: TextPatch
}

/** A change of one member of a store. The values must be JSON, whatever their type here. */
export const recordChange = (
  store: StoreName,
  key: readonly string[],
  before: object | string | null,
  after: object | string | null,
): Change => ({ kind: 'record', store, key, before: before as Json, after: after as Json })

/** Without changes that have no effect. */
export const withoutUnchanged = (changes: readonly Change[]): readonly Change[] =>
  changes.filter((change) => change.kind !== 'record' || !sameJson(change.before, change.after))
