import { createHash } from 'node:crypto'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { realDisk } from '../store/real-disk.ts'
import { drain, openRegular, type ReadingDisk } from './artifact.ts'
import { readFault } from './faults.ts'
import { integrityOf, parseIntegrity } from './integrity.ts'

/** An integrity that somebody states for an artifact. */
export interface Expected {
  /** Subresource Integrity text. */
  readonly value: string
  /** Who states it, as it stands in a message: `--integrity`, `the catalog`, … */
  readonly from: string
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
  expected: readonly Expected[],
  disk: ReadingDisk = realDisk,
  named: string = file,
): Promise<string> => {
  const wanted = expected.map(({ value, from }) => ({ integrity: parseIntegrity(value), from }))
  const [first, ...others] = wanted
  for (const other of others) {
    if (first !== undefined && other.integrity !== first.integrity) {
      throw mismatch(`${first.from} and ${other.from} state different integrities for ${quote(named)}`, [
        { from: first.from, integrity: first.integrity },
        { from: other.from, integrity: other.integrity },
      ])
    }
  }
  const actual = integrityOfFile(file, disk)
  if (first !== undefined && first.integrity !== actual) {
    throw mismatch(`${quote(named)} is not what ${first.from} says: expected ${first.integrity}, found ${actual}`, [
      { from: first.from, integrity: first.integrity },
      { from: 'the file', integrity: actual },
    ])
  }
  return actual
}

const integrityOfFile = (file: string, disk: ReadingDisk): string => {
  const { fd } = openRegular(disk, file)
  try {
    try {
      const hash = createHash('sha512')
      drain(disk, fd, (chunk) => void hash.update(chunk))
      return integrityOf(hash.digest())
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    throw readFault(error, file)
  }
}

const mismatch = (message: string, details: readonly { from: string; integrity: string }[]): GsdError =>
  new GsdError('INTEGRITY_MISMATCH', message, {
    hint: 'do not install it: ask its author which integrity is right, or compare with another copy',
    details,
  })
