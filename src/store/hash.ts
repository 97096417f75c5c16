import { createHash } from 'node:crypto'

/** Hex sha512 of bytes; what the journal and the receipts compare files by. */
export const hashOf = (bytes: Uint8Array | string): string => createHash('sha512').update(bytes).digest('hex')
