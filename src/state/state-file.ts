import { constants } from 'node:fs'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { errnoReason, isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { readAll } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { JsonObject } from './json-text.ts'
import { parseStateFile, type StateFileKind } from './parse-state-file.ts'

/**
 * A file the program keeps, as it was found. What is unreadable is left alone: it is reported, changes are refused, and
 * nothing ever takes its place (security page, "Operations").
 */
export type StateFile<T> =
  | { readonly state: 'absent' }
  | { readonly state: 'ok'; readonly value: T; readonly json: JsonObject; readonly text: string }
  | { readonly state: 'unreadable'; readonly diagnostic: Diagnostic }

export interface StateReadOptions {
  /** Whether the file may be a link, which is followed. Never where it may come from a repository. */
  readonly followLinks: boolean
  /** Whether it has to be the user's own and writable by no one else: whoever writes it decides what runs. */
  readonly ownerOnly?: boolean
}

/** Far above anything the program writes; a file this big is something else. */
const MAX_BYTES = 256 * 1024 * 1024

/** Reads, parses and checks one kept file. Never throws for what it finds, never waits for a pipe. */
export const readStateFile = <T>(
  disk: Disk,
  file: string,
  kind: StateFileKind<T>,
  options: StateReadOptions,
): StateFile<T> => {
  try {
    const bytes = readBytes(disk, file, options)
    return bytes === null ? { state: 'absent' } : { state: 'ok', ...parseStateFile(bytes, kind) }
  } catch (error) {
    return { state: 'unreadable', diagnostic: unreadableDiagnostic(error, file, kind) }
  }
}

const readBytes = (disk: Disk, file: string, { followLinks, ownerOnly = false }: StateReadOptions): Buffer | null => {
  const noFollow = followLinks ? 0 : constants.O_NOFOLLOW
  try {
    // Looked at before it is opened: opening a device may already do something.
    refuseIrregular(followLinks ? disk.statSync(file) : disk.lstatSync(file))
    const fd = disk.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noFollow)
    try {
      const stats = disk.fstatSync(fd)
      refuseIrregular(stats)
      if (ownerOnly) refuseOtherOwner(stats)
      refuseOversized(stats.size)
      const bytes = readAll(disk, fd, MAX_BYTES)
      refuseOversized(bytes.length)
      return bytes
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT') && !isDangling(disk, file)) return null
    throw error
  }
}

const refuseIrregular = (stats: ReturnType<Disk['lstatSync']>): void => {
  if (stats.isSymbolicLink())
    throw new GsdError('STATE_LINKED', 'it is a link, and links are not followed in a project')
  if (!stats.isFile()) throw new GsdError('STATE_NOT_A_FILE', 'it is not a regular file')
}

const refuseOversized = (size: number): void => {
  if (size > MAX_BYTES) throw new GsdError('STATE_UNREADABLE', 'the file is too large to be one of ours')
}

/** Everybody may use root's files; root may use those of the user behind sudo. */
const refuseOtherOwner = ({ uid, mode }: ReturnType<Disk['lstatSync']>): void => {
  const user = process.geteuid?.()
  if (user === undefined) return
  const hint = 'check its content, then make it yours only: chown and chmod 600'
  if (uid !== 0 && uid !== user && !(user === 0 && String(uid) === process.env['SUDO_UID']))
    throw new GsdError('STATE_UNREADABLE', `it belongs to another user (${uid})`, { hint })
  if ((mode & 0o002) !== 0) throw new GsdError('STATE_UNREADABLE', 'everybody can write to it', { hint })
}

/** A link to nothing is not the same as nothing: writing there would make a file somewhere else. */
const isDangling = (disk: Disk, file: string): boolean => {
  try {
    return disk.lstatSync(file).isSymbolicLink()
  } catch {
    return false
  }
}

const unreadableDiagnostic = <T>(error: unknown, file: string, kind: StateFileKind<T>): Diagnostic => {
  const errno = errnoOf(error)
  if (!(error instanceof GsdError) && errno === undefined) throw error
  const { code, text } =
    error instanceof GsdError
      ? { code: error.code, text: error.message }
      : {
          code: 'STATE_UNREADABLE' as const,
          text: errno === 'ENOENT' ? 'it is a link to nothing' : errnoReason(errno ?? '').text,
        }
  const place = error instanceof GsdError && hasPosition(error.details) ? error.details : {}
  return diagnostic('error', code, `the ${kind.name} ${quote(file)} cannot be used: ${text}`, {
    file,
    ...(place.line === undefined ? {} : { line: place.line, column: place.column ?? 1 }),
    hint: (error instanceof GsdError ? error.hint : undefined) ?? kind.hint,
  })
}

const hasPosition = (details: unknown): details is { readonly line?: number; readonly column?: number } =>
  typeof details === 'object' && details !== null
