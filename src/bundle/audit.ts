import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Entry } from './bundle.ts'
import { TYPE_WORDS } from './entry-type.ts'
import { leftOutBy } from './left-out.ts'
import { LIMITS, sizeText } from './limits.ts'
import { openNames } from './names.ts'
import { PATH_RULES, pathFault } from './path-rules.ts'
import { tooLarge, unsafe } from './refusal.ts'

/** A file that passed: `path` is relative to the root of the archive or folder, with `/`. */
export interface AuditedFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

/** What is left when every entry passed. */
export interface Accepted {
  readonly ok: true
  readonly files: readonly AuditedFile[]
  /** Folders that were listed themselves, without trailing `/`. */
  readonly folders: readonly string[]
  /** Names that were left out (`node_modules`, …), each once. */
  readonly leftOut: readonly string[]
  /** Bytes of all files. */
  readonly unpacked: number
}

/** The verdict over a list of entries. */
export type Audit = Accepted | { readonly ok: false; readonly error: GsdError }

/** An audit that runs while the entries arrive, so that a hostile source is cut off at the first bad one. */
export interface Auditor {
  /** Judges one entry. Null: a folder, or never part of a bundle. Throws ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE. */
  add(entry: Entry): AuditedFile | null
  /** Counts bytes that are in no file: headers, long names, padding. Throws ARCHIVE_TOO_LARGE. */
  overhead(bytes: number): void
  finish(): Accepted
}

/**
 * Judges an entry list by the rules of the security page, "Archives and trees". Pure.
 *
 * @param packed Bytes of the archive, or null where there is none: then no ratio is judged.
 */
export const auditEntries = (entries: readonly Entry[], packed: number | null): Audit => {
  const auditor = openAudit(packed)
  try {
    for (const entry of entries) auditor.add(entry)
    return auditor.finish()
  } catch (error) {
    if (error instanceof GsdError) return { ok: false, error }
    throw error
  }
}

/** Starts an audit of an archive of `packed` bytes (null: a folder or tree, which has no ratio). */
export const openAudit = (packed: number | null): Auditor => {
  const files: AuditedFile[] = []
  const folders: string[] = []
  const leftOut = new Set<string>()
  const names = openNames()
  let entries = 0
  let unpacked = 0
  let overhead = 0

  const judgeRatio = (): void => {
    const bytes = unpacked + overhead
    if (packed === null || bytes <= LIMITS.ratioFrom || bytes <= packed * LIMITS.ratio) return
    throw tooLarge('ratio', `the archive unpacks to more than ${LIMITS.ratio} times its ${sizeText(packed)}`)
  }

  return {
    add(entry) {
      if (++entries > LIMITS.entries) throw tooLarge('entries', `there are more than ${LIMITS.entries} entries`)
      const path = cleanPath(entry)
      if (path === null) return null
      judgeSize(entry)
      unpacked += entry.size
      if (unpacked > LIMITS.unpacked) {
        throw tooLarge('unpacked', `the files are larger than ${sizeText(LIMITS.unpacked)} together`, entry.path)
      }
      judgeRatio()
      const dropped = leftOutBy(path)
      if (dropped !== null) {
        leftOut.add(dropped)
        return null
      }
      const type = judgeType(entry)
      names.claim(entry.path, path, type)
      if (type === 'directory') {
        folders.push(path)
        return null
      }
      const file = { path, size: entry.size, executable: entry.executable }
      files.push(file)
      return file
    },
    overhead(bytes) {
      overhead += bytes
      if (overhead > LIMITS.overhead) {
        throw tooLarge('overhead', `headers and padding are larger than ${sizeText(LIMITS.overhead)}`)
      }
      judgeRatio()
    },
    finish: () => ({ ok: true, files, folders, leftOut: [...leftOut], unpacked }),
  }
}

/** The path as it counts, or null for the root folder itself (`./`). */
const cleanPath = (entry: Entry): string | null => {
  let path = entry.path
  if (entry.type === 'directory') {
    if (path === '.' || path === './') return null
    if (path.endsWith('/') && path !== '/') path = path.slice(0, -1)
  }
  if (path.startsWith('./')) path = path.slice(2)
  const rule = pathFault(path)
  if (rule !== null) throw unsafe(entry.path, rule, PATH_RULES[rule])
  return path
}

const judgeSize = (entry: Entry): void => {
  if (Number.isSafeInteger(entry.size) && entry.size >= 0 && entry.size <= LIMITS.file) return
  throw tooLarge('file', `the entry ${quote(entry.path)} is larger than ${sizeText(LIMITS.file)}`, entry.path)
}

const TYPE_RULES = {
  symlink: 'symbolic-link',
  link: 'hard-link',
  device: 'device',
  fifo: 'fifo',
  socket: 'socket',
  other: 'unknown-type',
} as const satisfies Record<keyof typeof TYPE_WORDS, string>

const judgeType = (entry: Entry): 'file' | 'directory' => {
  if (entry.type === 'file' || entry.type === 'directory') return entry.type
  throw unsafe(entry.path, TYPE_RULES[entry.type], TYPE_WORDS[entry.type])
}
