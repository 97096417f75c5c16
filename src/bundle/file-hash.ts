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
  const line = firstLine()
  return {
    take(chunk) {
      hash.update(chunk)
      line.take(chunk)
    },
    result: () => ({ ...file, sha512: hash.digest('hex'), ...line.result() }),
  }
}

/** Longer than the first line of any script that a system runs. */
const LONGEST = 512

/** Looks at the first line as far as it can be that of a script. */
const firstLine = () => {
  let head = ''
  let isOver = false
  return {
    take(chunk: Uint8Array): void {
      if (isOver) return
      head += Buffer.from(chunk.subarray(0, LONGEST - head.length)).toString('latin1')
      isOver = head.length >= LONGEST || head.includes('\n') || (head.length >= 2 && !head.startsWith('#!'))
    },
    result: (): Pick<BundleFile, 'shebang' | 'crlf'> => {
      const shebang = head.startsWith('#!')
      return shebang && /^[^\n]*\r\n/.test(head) ? { shebang, crlf: true } : { shebang }
    },
  }
}
