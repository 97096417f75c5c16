import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import { quote } from '../../redact.ts'
import type { SourceEntry } from '../bundle.ts'
import { TYPE_DESCRIPTIONS } from '../bundle.ts'
import { LIMITS } from '../limits.ts'
import { PATH_RULES, brokenPathRule, excludedNameIn } from '../path-rules.ts'
import { tooLargeError, unsafeEntryError } from './archive-errors.ts'
import { createPathCollisions } from './path-collisions.ts'

/** A file that passed: `path` is relative to the root of the archive or folder, with `/`. */
export interface AuditedFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

/** The result when every entry passed. */
export interface AcceptedEntries {
  readonly ok: true
  readonly files: readonly AuditedFile[]
  /** Folders with an entry of their own, without trailing `/`. */
  readonly folders: readonly string[]
  /** Excluded names that occurred (`node_modules`, …), each once. */
  readonly excluded: readonly string[]
  /** Bytes of all files. */
  readonly unpackedBytes: number
}

/** The verdict over a list of entries. */
export type AuditResult = AcceptedEntries | { readonly ok: false; readonly error: GsdError }

/** An audit that runs while the entries arrive, so that reading stops at the first bad one. */
export interface Auditor {
  /** Checks one entry. Null: a folder, or never part of a bundle. Throws ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE. */
  add(entry: SourceEntry): AuditedFile | null
  /** Counts bytes that are in no file: headers, long names, padding. Throws ARCHIVE_TOO_LARGE. */
  countOverhead(bytes: number): void
  finish(): AcceptedEntries
}

/**
 * Checks an entry list against the rules of the security page, "Archives and trees". Pure.
 *
 * @param packed Bytes of the archive, or null without one: then no ratio is checked.
 */
export const auditEntries = (entries: readonly SourceEntry[], packed: number | null): AuditResult => {
  const auditor = startAudit(packed)
  try {
    for (const entry of entries) auditor.add(entry)
    return auditor.finish()
  } catch (error) {
    if (error instanceof GsdError) return { ok: false, error }
    throw error
  }
}

/** Starts an audit of an archive of `packed` bytes (null: a folder or tree, which has no ratio). */
export const startAudit = (packed: number | null): Auditor => {
  const files: AuditedFile[] = []
  const folders: string[] = []
  const leftOut = new Set<string>()
  const names = createPathCollisions()
  let entries = 0
  let unpackedBytes = 0
  let overhead = 0

  const checkRatio = (): void => {
    const bytes = unpackedBytes + overhead
    if (packed === null || bytes <= LIMITS.ratioFrom || bytes <= packed * LIMITS.ratio) return
    throw tooLargeError('ratio', `the archive unpacks to more than ${LIMITS.ratio} times its ${formatSize(packed)}`)
  }

  return {
    add(entry) {
      if (++entries > LIMITS.entries) throw tooLargeError('entries', `there are more than ${LIMITS.entries} entries`)
      const path = normalizePath(entry)
      if (path === null) return null
      checkSize(entry)
      unpackedBytes += entry.size
      if (unpackedBytes > LIMITS.unpacked) {
        throw tooLargeError('unpacked', `the files are larger than ${formatSize(LIMITS.unpacked)} together`, entry.path)
      }
      checkRatio()
      const dropped = excludedNameIn(path)
      if (dropped !== null) {
        leftOut.add(dropped)
        return null
      }
      const type = checkType(entry)
      names.add(entry.path, path, type)
      if (type === 'directory') {
        folders.push(path)
        return null
      }
      const file = { path, size: entry.size, executable: entry.executable }
      files.push(file)
      return file
    },
    countOverhead(bytes) {
      overhead += bytes
      if (overhead > LIMITS.overhead) {
        throw tooLargeError('overhead', `headers and padding are larger than ${formatSize(LIMITS.overhead)}`)
      }
      checkRatio()
    },
    finish: () => ({ ok: true, files, folders, excluded: [...leftOut], unpackedBytes }),
  }
}

/** The path without a leading `./` and trailing `/`, or null for the root folder itself (`./`). */
const normalizePath = (entry: SourceEntry): string | null => {
  let path = entry.path
  if (entry.type === 'directory') {
    if (path === '.' || path === './') return null
    if (path.endsWith('/') && path !== '/') path = path.slice(0, -1)
  }
  if (path.startsWith('./')) path = path.slice(2)
  const rule = brokenPathRule(path)
  if (rule !== null) throw unsafeEntryError(entry.path, rule, PATH_RULES[rule])
  return path
}

const checkSize = (entry: SourceEntry): void => {
  if (Number.isSafeInteger(entry.size) && entry.size >= 0 && entry.size <= LIMITS.file) return
  throw tooLargeError('file', `the entry ${quote(entry.path)} is larger than ${formatSize(LIMITS.file)}`, entry.path)
}

const TYPE_RULES = {
  symlink: 'symbolic-link',
  link: 'hard-link',
  device: 'device',
  fifo: 'fifo',
  socket: 'socket',
  other: 'unknown-type',
} as const satisfies Record<keyof typeof TYPE_DESCRIPTIONS, string>

const checkType = (entry: SourceEntry): 'file' | 'directory' => {
  if (entry.type === 'file' || entry.type === 'directory') return entry.type
  throw unsafeEntryError(entry.path, TYPE_RULES[entry.type], TYPE_DESCRIPTIONS[entry.type])
}
