import { isErrno } from './disk-error.ts'
import type { Disk } from './disk.ts'

/** Writes until every byte is written; the system may take fewer at a time, on a nearly full disk for instance. */
export const writeAll = (disk: Disk, fd: number, bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length;) {
    const written = retryInterrupted(() => disk.writeSync(fd, bytes, done, bytes.length - done))
    if (written <= 0) throw Object.assign(new Error('the system wrote nothing'), { code: 'ENOSPC' })
    done += written
  }
}

/** Reads a file to its end. A file that grows while it is read is read as far as it goes, at most `limit` + 1 bytes. */
export const readAll = (disk: Disk, fd: number, limit: number): Buffer => {
  const size = disk.fstatSync(fd).size
  const parts: Buffer[] = []
  for (let total = 0; total <= limit;) {
    const part = Buffer.allocUnsafe(Math.min(Math.max(size - total, 0) + 1, limit + 1 - total))
    const read = retryInterrupted(() => disk.readSync(fd, part, 0, part.length, null))
    if (read === 0) break
    parts.push(part.subarray(0, read))
    total += read
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

/** A signal may interrupt a call before it did anything; then it is simply made again. */
export const retryInterrupted = <T>(call: () => T): T => {
  for (;;) {
    try {
      return call()
    } catch (error) {
      if (!isErrno(error, 'EINTR')) throw error
    }
  }
}
