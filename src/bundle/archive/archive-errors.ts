import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/** Rules about what an entry is; a new name does not help there. */
const TYPE_RULES: ReadonlySet<string> = new Set([
  'symbolic-link',
  'hard-link',
  'device',
  'fifo',
  'socket',
  'unknown-type',
  'sparse',
])
const REPLACE_HINT = 'a bundle holds plain files and folders: remove this entry or replace it with a plain file'
const RENAME_HINT =
  'a bundle holds plain files and folders with portable names: rename this one, or remove it from the bundle'
const PACK_HINT = 'unpack it and pack it again with `gsd capability pack <dir>`, or ask its author to'
const SIZE_HINT = 'a bundle holds text and small scripts; leave out what is not needed'

/** An entry breaks a rule of the security page. Names both; `details` is `{entry, rule}`. */
export const unsafeEntryError = (entry: string, rule: string, words: string): GsdError =>
  new GsdError('ARCHIVE_UNSAFE', `the entry ${quote(entry)} ${words}`, {
    hint: TYPE_RULES.has(rule) ? REPLACE_HINT : RENAME_HINT,
    details: { entry, rule },
  })

/** Two tar readers read one archive in two ways. `details` is `{entry, rule}`. */
export const ambiguousEntryError = (entry: string, difference: string): GsdError =>
  new GsdError('ARCHIVE_UNSAFE', `two tar readers read the entry ${quote(entry)} in different ways: ${difference}`, {
    hint: PACK_HINT,
    details: { entry, rule: 'second-reader' },
  })

/** A limit is exceeded. `details` is `{rule, entry?}`. */
export const tooLargeError = (rule: string, message: string, entry?: string): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', message, {
    hint: SIZE_HINT,
    details: entry === undefined ? { rule } : { rule, entry },
  })

/** The bytes are not an archive of this kind, or a damaged one. `details` is `{rule}`. */
export const corruptArchiveError = (rule: string, message: string): GsdError =>
  new GsdError('ARCHIVE_CORRUPT', message, {
    hint: 'download the archive again; if the error stays, its author must pack it again',
    details: { rule },
  })

/** Bytes after the end of an archive. */
export const trailingDataError = (): GsdError =>
  corruptArchiveError('trailing-data', 'there is data after the end of the archive')
