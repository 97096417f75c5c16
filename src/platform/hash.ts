import { createHash } from 'node:crypto'

/** Hex sha512; the journal and the receipts compare files by it. */
export const sha512Hex = (bytes: Uint8Array | string): string => createHash('sha512').update(bytes).digest('hex')

/** Hex sha512 of a file's text; null for an absent file. */
export const hashOfText = (text: string | null): string | null => (text === null ? null : sha512Hex(text))
