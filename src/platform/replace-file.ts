import { dirname } from 'node:path'
import { diskError, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { syncPath } from './sync-path.ts'
import { requireHash, realTargetPath, statReplaceable } from './target-file.ts'
import { temporaryPathOf, writeTemporary } from './temporary-file.ts'

export interface ReplaceOptions {
  /** Names the temporary, so that recovery finds it. */
  readonly operation: string
  /** Hex sha512 of the bytes the new ones were made from; null: no file was there; undefined: whatever is there now. */
  readonly expect: string | null | undefined
  /** Of a file that was not there before; one that was keeps its own. Default 0666 less the umask. */
  readonly mode?: number
  /** Of a file that was deleted and comes back: its mode as it was, whatever the umask. */
  readonly exactMode?: number | undefined
}

/** New bytes of a file, written beside it and not yet in its place. */
export interface Replacement {
  /** Real path of the file. */
  readonly file: string
  /** To be synced before {@link Replacement.commit}. */
  readonly temporary: string
  /** Puts the new bytes in place, if the file is still the one that was read. Throws STATE_CHANGED if not. */
  readonly commit: () => void
  readonly discard: () => void
}

/**
 * The one door for replacing a file that a user owns or the program depends on (security page, "Operations"). The bytes
 * go into an exclusive temporary beside the real file, are synced, and are renamed over it when its content is still the
 * expected one. The file is never written in place.
 * @throws STATE_*
 */
export const replaceFile = (disk: Disk, file: string, bytes: Uint8Array, options: ReplaceOptions): void => {
  const replacement = prepareReplacement(disk, file, bytes, options)
  try {
    syncPath(disk, replacement.temporary)
    replacement.commit()
  } catch (error) {
    replacement.discard()
    throw error
  }
  syncPath(disk, dirname(replacement.file))
}

/** First half of {@link replaceFile}: everything that needs space, and nothing that anybody sees. The caller syncs. */
export const prepareReplacement = (
  disk: Disk,
  file: string,
  bytes: Uint8Array,
  options: ReplaceOptions,
): Replacement => {
  const { operation, expect, mode = 0o666, exactMode } = options
  const real = realTargetPath(disk, file)
  const old = statReplaceable(disk, real)
  const temporary = temporaryPathOf(real, operation)
  const discard = (): void => removeQuietly(disk, temporary)
  try {
    writeTemporary(disk, temporary, { bytes, real, old, mode, exactMode })
  } catch (error) {
    discard()
    throw diskError(error, 'write', real)
  }
  const commit = (): void => {
    requireHash(disk, real, expect)
    withDiskErrors('replace', real, () => disk.renameSync(temporary, real))
  }
  return { file: real, temporary, commit, discard }
}

/**
 * Deletes a file behind the same door: only a regular file, and only while its content is the expected one.
 * @throws STATE_*
 */
export const removeFile = (disk: Disk, file: string, expect: string | undefined): void => {
  const real = realTargetPath(disk, file)
  if (statReplaceable(disk, real) === null && expect === undefined) return
  requireHash(disk, real, expect)
  withDiskErrors('delete', real, () => disk.unlinkSync(real))
  syncPath(disk, dirname(real))
}

const removeQuietly = (disk: Disk, temporary: string): void => {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // Not made, or gone; else recovery takes it.
  }
}
