import type { Hash } from 'node:crypto'

/** Loaded on first use: most commands hash nothing, and loading it takes a fifth of a bare start. */
const crypto = () => process.getBuiltinModule('node:crypto')

/** Hashes content that comes in parts. */
export const createSha512 = (): Hash => crypto().createHash('sha512')

/** Hex sha512; the journal and the receipts compare files by it. */
export const sha512Hex = (content: Uint8Array | string): string => createSha512().update(content).digest('hex')

/** `sha512-<base64>`, the form of lockfiles. */
export const sha512Integrity = (content: Uint8Array | string): string =>
  `sha512-${createSha512().update(content).digest('base64')}`

/** Base64 sha256. */
export const sha256Base64 = (content: Buffer | string): string => crypto().hash('sha256', content, 'base64')

/** Hex sha512 of a file's text; null for an absent file. */
export const hashOfText = (text: string | null): string | null => (text === null ? null : sha512Hex(text))
