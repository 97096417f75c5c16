import { hashOf } from '../store/hash.ts'

/** Hex sha512 of the bytes a text has on disk; null for a file that is absent. */
export const hashOfText = (text: string | null): string | null => (text === null ? null : hashOf(text))
