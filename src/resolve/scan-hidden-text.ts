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
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (const { path, shebang } of files) {
    if (found.length >= MAX_FINDINGS) break
    for (const character of findHiddenText(path)) found.push({ file: path, in: 'name', ...character, line: 0 })
    const file = join(dir, path)
    for (const character of withDiskErrors('read', file, () => hiddenInFile({ disk, file, buffer }, shebang)))
      found.push({ file: path, in: 'text', ...character })
  }
  return found.slice(0, MAX_FINDINGS)
}

interface ScannedFile {
  readonly disk: Disk
  readonly file: string
  /** For the pieces of the file. */
  readonly buffer: Buffer
}

/** Piece by piece, so that large files and many files need little memory. */
const hiddenInFile = (scanned: ScannedFile, script: boolean): readonly HiddenCharacter[] => {
  const { file } = scanned
  const pieces = readChunks(scanned)
  const { value: start } = pieces.next()
  if (start === undefined || !isTextFile(file, start, script)) return closeChunks(pieces)
  if (isUtf16(start)) {
    const label = start[0] === 0xff ? 'utf-16le' : 'utf-16be'
    const whole = [Buffer.from(start)]
    for (const piece of pieces) whole.push(Buffer.from(piece))
    return findHiddenText(new TextDecoder(label).decode(Buffer.concat(whole)))
  }
  const scans = [scanBytes(start, { isStart: true })]
  let lines = countLines(start)
  for (const piece of pieces) {
    scans.push(movedDown(scanBytes(piece, { isStart: false }), lines))
    lines += countLines(piece)
    if (scans.reduce((sum, { hidden }) => sum + hidden.length, 0) >= MAX_FINDINGS) return withExcessHyphens(scans, 0)
  }
  return withExcessHyphens(scans, scans.some(({ softHyphenCount }) => softHyphenCount > 0) ? lettersIn(scanned) : 0)
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

const lettersIn = (scanned: ScannedFile): number => {
  let letters = 0
  for (const piece of readChunks(scanned)) letters += countLetters(piece.toString('utf8'))
  return letters
}

/** Closes the file without reading on. */
const closeChunks = (pieces: Generator<Buffer, void>): readonly HiddenCharacter[] => {
  pieces.return()
  return []
}

/** Pieces of a text file; the buffer is used again for the next one, and for the next file. */
function* readChunks({ disk, file, buffer }: ScannedFile): Generator<Buffer, void> {
  // A bundle in a project may contain a pipe by now, and opening that must not block.
  const fd = disk.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    let space = buffer
    let filled = 0
    for (;;) {
      // There was no place to cut.
      if (filled === space.length) space = Buffer.concat([space], 2 * space.length)
      const read = disk.readSync(fd, space, filled, space.length - filled, null)
      filled += read
      if (read === 0) {
        if (filled > 0) yield space.subarray(0, filled)
        return
      }
      if (filled < space.length) continue
      const end = chunkEnd(space)
      if (end > 0) yield space.subarray(0, end)
      space.copyWithin(0, end, filled)
      filled -= end
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
