import { fstatSync, statSync, writeSync } from 'node:fs'
import { errnoOf } from '../errors.ts'

/**
 * One of the two output streams. Written by descriptor: `process.stdout` costs a twentieth of the start, and this way all
 * text is out before the process ends, even on a pipe.
 */
export interface Output {
  readonly tty: boolean
  /** Columns of the window; `Infinity` off a TTY. */
  readonly columns: number
  /** Never throws: what went wrong is in `failure`. */
  write(text: string | Uint8Array): void
  /** Why text could not be written, unless the reader just went away (`gsd … | head`). */
  readonly failure: unknown
}

export const openOutput = (fd: 1 | 2): Output => {
  const tty = isTerminal(fd)
  let closed = false
  let failure: unknown = null
  return {
    tty,
    get columns() {
      return tty ? columnsOf(fd) : Infinity
    },
    get failure() {
      return failure
    },
    write(text) {
      if (closed) return
      try {
        writeAll(fd, typeof text === 'string' ? Buffer.from(text) : text)
      } catch (error) {
        closed = true
        if (errnoOf(error) !== 'EPIPE') failure = error
      }
    },
  }
}

/** Whether a descriptor is a terminal. `node:tty` costs a fifth of a bare start, so it is loaded for devices only. */
export const isTerminal = (fd: 0 | 1 | 2): boolean => {
  try {
    const device = fstatSync(fd)
    if (!device.isCharacterDevice() || device.rdev === statSync('/dev/null').rdev) return false
    return process.getBuiltinModule('node:tty').isatty(fd)
  } catch {
    return false
  }
}

const MIN_COLUMNS = 40
const DEFAULT_COLUMNS = 80

const columnsOf = (fd: 1 | 2): number => {
  const { columns } = fd === 1 ? process.stdout : process.stderr
  return Math.max(MIN_COLUMNS, columns || DEFAULT_COLUMNS)
}

const writeAll = (fd: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') throw error
      waitForReader()
    }
  }
}

/** A full non-blocking pipe: its reader needs a moment. */
const waitForReader = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}
