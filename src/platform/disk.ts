import type { Stats } from 'node:fs'

/**
 * The file-system calls that an operation makes, as one value, so that a test can stop the program, fail a call or
 * record it at any of them. Names and behaviour are those of `node:fs`; paths are always strings, and the only
 * asynchronous call is {@link Disk.syncAll}, because many fsyncs overlap well.
 */
export interface Disk {
  openSync(path: string, flags: string | number, mode?: number): number
  closeSync(fd: number): void
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number | null): number
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number): number
  fsyncSync(fd: number): void
  fchmodSync(fd: number, mode: number): void
  fchownSync(fd: number, uid: number, gid: number): void
  fstatSync(fd: number): Stats
  lstatSync(path: string): Stats
  statSync(path: string): Stats
  realpathSync(path: string): string
  readlinkSync(path: string): string
  readdirSync(path: string): string[]
  readFileSync(path: string): Buffer
  mkdirSync(path: string, mode?: number): void
  rmdirSync(path: string): void
  unlinkSync(path: string): void
  renameSync(from: string, to: string): void
  linkSync(from: string, to: string): void
  chmodSync(path: string, mode: number): void
  /** fsync of every file and folder named, overlapping; resolves when all are on disk. */
  syncAll(paths: readonly string[]): Promise<void>
}
