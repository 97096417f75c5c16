import { create, fromHex, parse } from 'ssri'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const WEAK_ALGORITHMS = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384'])
const HEX_SHA512 = /^(?:sha512[-:])?([0-9a-f]{128})$/i
const HINT = 'an integrity is "sha512-" and the base64 of the 64 bytes of the hash, 88 characters'

/** Computes `sha512-…` over bytes that arrive in pieces. */
export interface IntegrityHash {
  update(chunk: Uint8Array | string): void
  digest(): string
}

export const createIntegrityHash = (): IntegrityHash => {
  const hash = create({ algorithms: ['sha512'] })
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest().toString() }
}

/**
 * Reads a Subresource Integrity text. It must hold exactly one sha512 and no weaker hash, because a list is only as
 * strong as the hash that some reader takes from it (contract, "Integrity and digest").
 *
 * @returns `sha512-…`, canonical. Throws INTEGRITY_MALFORMED, INTEGRITY_WEAK.
 */
export const parseIntegrity = (text: string): string => {
  const entries = text.split(/[ \t\r\n\f]+/).filter((entry) => entry !== '')
  const [first, second] = entries.map(parseEntry)
  if (first === undefined) throw malformedError(text, 'holds no hash')
  if (second !== undefined) throw malformedError(text, `holds ${entries.length} hashes; exactly one is expected`)
  return first
}

const parseEntry = (entry: string): string => {
  const name = /^([a-z0-9]+)[-:]/i.exec(entry)?.[1]
  if (name !== undefined && WEAK_ALGORITHMS.has(name.toLowerCase())) {
    throw new GsdError('INTEGRITY_WEAK', `${quote(entry)} uses ${name.toLowerCase()}; only sha512 is accepted`, {
      hint: HINT,
    })
  }
  if (entry.includes('?')) throw malformedError(entry, 'has options after a "?"')
  const hex = HEX_SHA512.exec(entry)?.[1]
  if (hex !== undefined) throw malformedError(entry, 'is hexadecimal', `in base64 it is ${printIntegrity(hex)}`)
  if (name !== undefined && name !== 'sha512') throw malformedError(entry, `uses the unknown algorithm ${quote(name)}`)
  const hash = parse(entry, { single: true, strict: true })
  if (hash === null || hash.algorithm !== 'sha512') throw malformedError(entry, 'is not a sha512 in base64')
  // Base64 may carry more or fewer bytes, and bits that no byte uses.
  if (printIntegrity(hash.hexDigest()) !== entry) throw malformedError(entry, 'is not the base64 of 64 bytes')
  return entry
}

const printIntegrity = (hex: string): string =>
  hex.length === 128 ? fromHex(hex, 'sha512', { single: true }).toString() : ''

const malformedError = (value: string, what: string, hint = HINT): GsdError =>
  new GsdError('INTEGRITY_MALFORMED', `the integrity ${quote(value)} ${what}`, { hint })
