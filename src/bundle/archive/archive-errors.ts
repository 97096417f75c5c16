import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/** Rules that no other name would satisfy. */
const TYPE_RULES: ReadonlySet<string> = new Set([
  'symbolic-link',
  'hard-link',
  'device',
  'fifo',
  'socket',
  'unknown-type',
  'sparse',
])
const REPLACE_HINT = 'a bundle holds plain files and folders: take it out, or put a plain file in its place'
const RENAME_HINT = 'a bundle holds plain files and folders with portable names: rename this one or take it out'
const SIZE_HINT = 'a bundle holds text and small scripts; leave out what is not needed'

/** An entry breaks a rule of the security page. Names both; `details` is `{entry, rule}`. */
export const unsafeEntryError = (entry: string, rule: string, words: string): GsdError =>
  new GsdError('ARCHIVE_UNSAFE', `the entry ${quote(entry)} ${words}`, {
    hint: TYPE_RULES.has(rule) ? REPLACE_HINT : RENAME_HINT,
    details: { entry, rule },
  })

/** A limit is passed. `details` is `{rule, entry?}`. */
export const tooLargeError = (rule: string, message: string, entry?: string): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', message, {
    hint: SIZE_HINT,
    details: entry === undefined ? { rule } : { rule, entry },
  })

/** The bytes are not what an archive of this kind looks like. `details` is `{rule}`. */
export const corruptArchiveError = (rule: string, message: string): GsdError =>
  new GsdError('ARCHIVE_CORRUPT', message, {
    hint: 'download the archive again; if it stays like this, it has to be packed anew',
    details: { rule },
  })

/** Bytes after the end of an archive. */
export const trailingDataError = (): GsdError =>
  corruptArchiveError('trailing-data', 'there is data after the end of the archive')
