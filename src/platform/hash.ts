import { createHash } from 'node:crypto'

/** Hex sha512 of bytes; what the journal and the receipts compare files by. */
export const sha512Hex = (bytes: Uint8Array | string): string => createHash('sha512').update(bytes).digest('hex')

/** Hex sha512 of the bytes a text has on disk; null for a file that is absent. */
export const hashOfText = (text: string | null): string | null => (text === null ? null : sha512Hex(text))
