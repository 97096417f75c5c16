import { createHash } from 'node:crypto'
import type { AuditedFile } from './audit.ts'
import type { BundleFile } from './bundle.ts'

/** Hashes one file while its content goes by. */
export interface FileHash {
  take(chunk: Uint8Array): void
  result(): BundleFile
}

export const openFileHash = (file: AuditedFile): FileHash => {
  const hash = createHash('sha512')
  let head = ''
  return {
    take(chunk) {
      hash.update(chunk)
      if (head.length < 2) head += String.fromCharCode(...chunk.subarray(0, 2 - head.length))
    },
    result: () => ({ ...file, sha512: hash.digest('hex'), shebang: head === '#!' }),
  }
}
