import { constants } from 'node:fs'
import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import type { Disk } from '../store/disk.ts'
import { hiddenInBytes, type HiddenCharacter } from '../trust/hidden-text.ts'

/** A hidden character and the file it stands in. */
export interface HiddenFinding extends HiddenCharacter {
  /** Relative to the bundle. */
  readonly file: string
}

const PIECE = 1024 * 1024
const MOST = 50

/** Looks for hidden text in every text file of a staged bundle. Files that are no UTF-8 text are passed over. */
export const scanHidden = (disk: Disk, dir: string, files: readonly BundleFile[]): readonly HiddenFinding[] => {
  const found: HiddenFinding[] = []
  for (const { path } of files) {
    if (found.length >= MOST) break
    for (const character of hiddenInFile(disk, join(dir, path)) ?? []) found.push({ file: path, ...character })
  }
  return found.slice(0, MOST)
}

/** Piece by piece, cut at line ends, so that a large file needs little memory. Null where the file is no text. */
const hiddenInFile = (disk: Disk, file: string): readonly HiddenCharacter[] | null => {
  const found: HiddenCharacter[] = []
  let lines = 0
  for (const piece of piecesOf(disk, file)) {
    const hidden = hiddenInBytes(piece)
    if (hidden === null) return null
    found.push(...hidden.map((character) => ({ ...character, line: character.line + lines })))
    lines += countLines(piece)
  }
  return found
}

function* piecesOf(disk: Disk, file: string): Generator<Buffer> {
  const fd = disk.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const buffer = Buffer.allocUnsafe(PIECE)
      const read = disk.readSync(fd, buffer, 0, PIECE, null)
      const bytes = rest.length === 0 ? buffer.subarray(0, read) : Buffer.concat([rest, buffer.subarray(0, read)])
      if (read === 0) {
        if (bytes.length > 0) yield bytes
        return
      }
      const end = cutAt(bytes)
      yield bytes.subarray(0, end)
      rest = bytes.subarray(end)
    }
  } finally {
    disk.closeSync(fd)
  }
}

/** Behind the last line end; in a line without one, before the last character, which may not be complete. */
const cutAt = (bytes: Buffer): number => {
  const line = bytes.lastIndexOf(0x0a) + 1
  if (line > 0) return line
  let end = bytes.length - 1
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return end
}

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1
  return lines
}
