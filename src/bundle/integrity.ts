import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

const WEAK_ALGORITHMS = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384'])
const ENTRY = /^([a-z0-9]+)-([A-Za-z0-9+/]+={0,2})$/
const HEX_SHA512 = /^[0-9a-f]{128}$/i
const HINT = 'an integrity is "sha512-" and the base64 of the 64 bytes of the hash, 88 characters'

/** 64 bytes of a sha512 as Subresource Integrity. */
export const integrityOf = (sha512: Uint8Array): string => `sha512-${Buffer.from(sha512).toString('base64')}`

/**
 * Reads a Subresource Integrity text. Only sha512 counts: the text must hold exactly one, and none of a weaker kind
 * beside it, because a list is only as strong as what some reader takes from it (contract, "Integrity and digest").
 *
 * @returns `sha512-…`, canonical. Throws INTEGRITY_MALFORMED, INTEGRITY_WEAK.
 */
export const parseIntegrity = (text: string): string => {
  const entries = text.split(/[ \t\r\n\f]+/).filter((entry) => entry !== '')
  const [first, second] = entries.map(parseEntry)
  if (first === undefined) throw malformedError(text, 'holds no hash')
  if (second !== undefined) throw malformedError(text, `holds ${entries.length} hashes, where exactly one is expected`)
  return first
}

const parseEntry = (entry: string): string => {
  const algorithm = /^([a-z0-9]+)[-:]/i.exec(entry)?.[1]?.toLowerCase()
  if (algorithm !== undefined && WEAK_ALGORITHMS.has(algorithm)) {
    throw new GsdError('INTEGRITY_WEAK', `${quote(entry)} uses ${algorithm}; only sha512 is accepted`, { hint: HINT })
  }
  if (entry.includes('?')) throw malformedError(entry, 'carries options after a "?"')
  const [, name, base64 = ''] = ENTRY.exec(entry) ?? []
  if (HEX_SHA512.test(entry.replace(/^sha512[-:]/i, ''))) throw malformedError(entry, 'is hexadecimal', hexHint(entry))
  if (name === undefined) throw malformedError(entry, 'is not an integrity')
  if (name !== 'sha512') throw malformedError(entry, `uses the unknown algorithm ${quote(name)}`)
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== 64) throw malformedError(entry, `is a hash of ${bytes.length} bytes, not of 64`)
  if (integrityOf(bytes) !== entry) throw malformedError(entry, 'is not canonical base64')
  return entry
}

const hexHint = (entry: string): string => `in base64 it is ${integrityOf(Buffer.from(entry.slice(-128), 'hex'))}`

const malformedError = (value: string, what: string, hint = HINT): GsdError =>
  new GsdError('INTEGRITY_MALFORMED', `the integrity ${quote(value)} ${what}`, { hint })
