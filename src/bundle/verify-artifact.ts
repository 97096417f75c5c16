import { GsdError } from '../errors.ts'
import { realDisk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { createIntegrityHash, parseIntegrity } from './integrity.ts'
import { openRegularFile, readAll, type ReadDisk } from './open-file.ts'
import { toReadError } from './read-errors.ts'

/** An integrity that is stated for an artifact. */
export interface ExpectedIntegrity {
  /** Subresource Integrity text. */
  readonly value: string
  /** Who states it, for messages: `--integrity`, `the catalog`, … */
  readonly statedBy: string
}

/**
 * Hashes a whole artifact and compares it with every integrity that is stated for it; all must agree.
 *
 * @param named The artifact as the user knows it, for messages.
 * @returns The integrity of the file, `sha512-…`. Throws INTEGRITY_MALFORMED, INTEGRITY_WEAK, INTEGRITY_MISMATCH,
 *   FETCH_NOT_FOUND, FETCH_UNREADABLE.
 */
export const verifyArtifact = async (
  file: string,
  expected: readonly ExpectedIntegrity[],
  disk: ReadDisk = realDisk,
  named: string = file,
): Promise<string> => {
  const wanted = expected.map(({ value, statedBy }) => ({ integrity: parseIntegrity(value), from: statedBy }))
  const [first, ...others] = wanted
  for (const other of others) {
    if (first !== undefined && other.integrity !== first.integrity) {
      throw mismatchError(`${first.from} and ${other.from} state different integrities for ${quote(named)}`, [
        { from: first.from, integrity: first.integrity },
        { from: other.from, integrity: other.integrity },
      ])
    }
  }
  const actual = hashFile(file, disk)
  if (first !== undefined && first.integrity !== actual) {
    throw mismatchError(
      `${quote(named)} is not what ${first.from} says: expected ${first.integrity}, found ${actual}`,
      [
        { from: first.from, integrity: first.integrity },
        { from: 'the file', integrity: actual },
      ],
    )
  }
  return actual
}

const hashFile = (file: string, disk: ReadDisk): string => {
  const { fd } = openRegularFile(disk, file)
  try {
    try {
      const hash = createIntegrityHash()
      readAll(disk, fd, (chunk) => hash.update(chunk))
      return hash.digest()
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    throw toReadError(error, file)
  }
}

const mismatchError = (message: string, details: readonly { from: string; integrity: string }[]): GsdError =>
  new GsdError('INTEGRITY_MISMATCH', message, {
    hint: 'do not install it: ask its author which integrity is right, or compare with another copy',
    details,
  })
