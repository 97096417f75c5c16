import { isAscii } from 'node:buffer'
import { constants } from 'node:fs'
import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { isUtf16 } from '../manifest/json/decode-utf8.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { findHiddenInManifest } from '../trust/hidden-text/find-hidden-in-manifest.ts'
import {
  countLetters,
  findHiddenText,
  scanText,
  withExcessHyphens,
  type HiddenCharacter,
  type TextScan,
} from '../trust/hidden-text/find-hidden-text.ts'
import type { HiddenFinding } from '../trust/hidden-text/hidden-finding.ts'
import { isTextFile } from '../trust/hidden-text/is-text-file.ts'

const CHUNK_BYTES = 1024 * 1024
const MAX_FINDINGS = 50

/**
 * Finds hidden text in every name and text file of a bundle, and in the decoded strings of its manifest
 * (security page, "Disclosure and consent").
 * @throws STATE_*
 */
export const scanHiddenText = (
  disk: Disk,
  {
    dir,
    files,
    manifest,
  }: { readonly dir: string; readonly files: readonly BundleFile[]; readonly manifest: Uint8Array },
): readonly HiddenFinding[] => {
  const found: HiddenFinding[] = findHiddenInManifest(manifest)
  for (const { path, shebang } of files) {
    if (found.length >= MAX_FINDINGS) break
    for (const character of findHiddenText(path)) found.push({ file: path, in: 'name', ...character, line: 0 })
    const file = join(dir, path)
    for (const character of withDiskErrors('read', file, () => hiddenInFile(disk, file, shebang)))
      found.push({ file: path, in: 'text', ...character })
  }
  return found.slice(0, MAX_FINDINGS)
}

/** Piece by piece, so that a large file needs little memory. */
const hiddenInFile = (disk: Disk, file: string, script: boolean): readonly HiddenCharacter[] => {
  const pieces = readChunks(disk, file)
  const { value: start } = pieces.next()
  if (start === undefined || !isTextFile(file, start, script)) return closeChunks(pieces)
  if (isUtf16(start)) {
    const label = start[0] === 0xff ? 'utf-16le' : 'utf-16be'
    return findHiddenText(new TextDecoder(label).decode(Buffer.concat([start, ...pieces])))
  }
  const scans = [scanBytes(start, { isStart: true })]
  let lines = countLines(start)
  for (const piece of pieces) {
    scans.push(movedDown(scanBytes(piece, { isStart: false }), lines))
    lines += countLines(piece)
    if (scans.reduce((sum, { hidden }) => sum + hidden.length, 0) >= MAX_FINDINGS) return withExcessHyphens(scans, 0)
  }
  return withExcessHyphens(scans, scans.some(({ softHyphenCount }) => softHyphenCount > 0) ? lettersIn(disk, file) : 0)
}

/** What is no UTF-8 is read as the hosts would read it, with marks in its place, so that one wrong byte is no hiding place. */
const scanBytes = (bytes: Uint8Array, options: { readonly isStart: boolean }): TextScan =>
  isAscii(bytes) && !ASCII_SUSPECT.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))
    ? NOTHING_HIDDEN
    : scanText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), options)

const ASCII_SUSPECT = /[^\t\n\r -~]|\r(?!\n)/
const NOTHING_HIDDEN: TextScan = { hidden: [], softHyphens: [], softHyphenCount: 0 }

const movedDown = ({ hidden, softHyphens, softHyphenCount }: TextScan, lines: number): TextScan => {
  const move = (characters: readonly HiddenCharacter[]): HiddenCharacter[] =>
    characters.map((character) => ({ ...character, line: character.line + lines }))
  return { hidden: move(hidden), softHyphens: move(softHyphens), softHyphenCount }
}

const lettersIn = (disk: Disk, file: string): number => {
  let letters = 0
  for (const piece of readChunks(disk, file)) letters += countLetters(piece.toString('utf8'))
  return letters
}

/** Closes the file without reading on. */
const closeChunks = (pieces: Generator<Buffer, void>): readonly HiddenCharacter[] => {
  pieces.return()
  return []
}

function* readChunks(disk: Disk, file: string): Generator<Buffer, void> {
  // A bundle in a project may contain a pipe by now, and opening that must not block.
  const fd = disk.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    let rest: Buffer = Buffer.alloc(0)
    // No more than the file needs: thousands of small files would leave gigabytes of buffers to collect.
    const length = Math.min(CHUNK_BYTES, disk.fstatSync(fd).size + 1)
    for (;;) {
      const buffer = Buffer.allocUnsafe(length)
      const read = disk.readSync(fd, buffer, 0, length, null)
      const bytes = rest.length === 0 ? buffer.subarray(0, read) : Buffer.concat([rest, buffer.subarray(0, read)])
      if (read === 0) {
        if (bytes.length > 0) yield bytes
        return
      }
      const end = bytes.length < CHUNK_BYTES ? 0 : chunkEnd(bytes)
      if (end > 0) yield bytes.subarray(0, end)
      rest = bytes.subarray(end)
    }
  } finally {
    disk.closeSync(fd)
  }
}

/**
 * Behind the last line end, else between two ASCII letters, so that what belongs together stays in one piece; 0 where there is
 * neither, and more has to be read.
 */
const chunkEnd = (bytes: Buffer): number => {
  const line = bytes.lastIndexOf(0x0a) + 1
  if (line > 0) return line
  let end = bytes.length - 1
  while (end > 0 && !(isLetter(bytes[end - 1]) && isLetter(bytes[end]))) end -= 1
  return end
}

const isLetter = (byte = 0): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1
  return lines
}
