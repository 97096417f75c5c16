import { createHash } from 'node:crypto'

/** The id of an object of git from its header and content. */
export const sha1Hex = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')
