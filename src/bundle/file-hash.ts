import { createSha512 } from '../platform/hash.ts'
import type { AuditedFile } from './archive/audit.ts'
import type { BundleFile } from './bundle.ts'

/** Hashes one file while its content passes. */
export interface FileHash {
  update(chunk: Uint8Array): void
  result(): BundleFile
}

export const createFileHash = (file: AuditedFile): FileHash => {
  const hash = createSha512()
  const line = createShebangReader()
  return {
    update(chunk) {
      hash.update(chunk)
      line.take(chunk)
    },
    result: () => ({ ...file, sha512: hash.digest('hex'), ...line.result() }),
  }
}

/** Longer than the first line of any script that a system runs. */
const MAX_FIRST_LINE = 512

/** Reads the first line as long as it can be that of a script. */
const createShebangReader = () => {
  let head = ''
  let isOver = false
  return {
    take(chunk: Uint8Array): void {
      if (isOver) return
      head += Buffer.from(chunk.subarray(0, MAX_FIRST_LINE - head.length)).toString('latin1')
      isOver = head.length >= MAX_FIRST_LINE || head.includes('\n') || (head.length >= 2 && !head.startsWith('#!'))
    },
    result: (): Pick<BundleFile, 'shebang' | 'crlf'> => {
      const shebang = head.startsWith('#!')
      return shebang && /^[^\n]*\r\n/.test(head) ? { shebang, crlf: true } : { shebang }
    },
  }
}
