import { quote } from '../../redact.ts'
import type { SourceEntry } from '../bundle.ts'
import { PATH_RULES } from '../path-rules.ts'
import { corruptArchiveError, unsafeEntryError } from './archive-errors.ts'

export const BLOCK_SIZE = 512

/** One header block of a tar archive, as far as a bundle needs it. */
export interface TarHeader {
  readonly kind: 'entry' | 'pax' | 'global-pax' | 'long-name' | 'long-link'
  /** Name field with the ustar prefix in front. */
  readonly path: string
  readonly type: SourceEntry['type'] | 'sparse'
  /** A file by a type flag that also marks folders in old archives, by a slash at the end of the name. */
  readonly isPlainFile: boolean
  /** Bytes of content that follow. */
  readonly size: number
  readonly executable: boolean
}

/**
 * Reads a header block; null for a block of zeros. Stricter than most readers: every field that decides where the next
 * header lies or what it is called must be well formed. Throws ARCHIVE_CORRUPT, ARCHIVE_UNSAFE.
 */
export const parseTarHeader = (block: Buffer): TarHeader | null => {
  if (isZero(block)) return null
  if (!hasValidChecksum(block))
    throw corruptArchiveError('header', 'the archive is damaged: the checksum of a header is wrong')
  const flag = String.fromCharCode(block[156] ?? 0)
  const path = parsePath(block)
  const { kind, type } = headerKindOf(flag)
  if (kind === 'entry' && flag !== '1' && flag !== '2' && parseTextField(block, 157, 100) !== '') {
    throw corruptArchiveError(
      'link-name',
      `the archive is damaged: the entry ${quote(path)} is not a link but has a link target`,
    )
  }
  const declared = parseNumberField(block, 124, 12)
  return {
    kind,
    path,
    type,
    isPlainFile: flag === '0' || flag === '\0',
    size: kind === 'entry' && type !== 'file' && type !== 'sparse' ? 0 : declared,
    executable: (parseNumberField(block, 100, 8) & 0o100) !== 0,
  }
}

/** True for bytes that are all zero. */
export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** True where the checksum of a header block is right. */
export const hasValidChecksum = (block: Buffer): boolean => {
  const digits = OCTAL.exec(block.toString('latin1', 148, 156))?.[1]
  if (digits === undefined || digits === '') return false
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK_SIZE; at++) if (at < 148 || at >= 156) sum += block[at] ?? 0
  return sum === Number.parseInt(digits, 8)
}

const META_KINDS = {
  x: 'pax',
  X: 'pax',
  g: 'global-pax',
  L: 'long-name',
  K: 'long-link',
} as const satisfies Record<string, TarHeader['kind']>

const TYPES = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'directory',
  '6': 'fifo',
  S: 'sparse',
} as const satisfies Record<string, TarHeader['type']>

const headerKindOf = (flag: string): Pick<TarHeader, 'kind' | 'type'> => {
  if (Object.hasOwn(META_KINDS, flag)) return { kind: META_KINDS[flag as keyof typeof META_KINDS], type: 'other' }
  const type = Object.hasOwn(TYPES, flag) ? TYPES[flag as keyof typeof TYPES] : 'other'
  return { kind: 'entry', type }
}

const parsePath = (block: Buffer): string => {
  const name = parseTextField(block, 0, 100)
  if (block.toString('latin1', 257, 263) !== 'ustar\0') return name
  // Some writers put times after the first 130 bytes of the prefix; the byte before them is then NUL.
  const prefix = parseTextField(block, 345, block[475] === 0 ? 130 : 155)
  return prefix === '' ? name : `${prefix}/${name}`
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as a name. Throws ARCHIVE_UNSAFE for bytes that are not UTF-8 and for control characters. */
export const decodeName = (bytes: Uint8Array): string => {
  let name: string
  try {
    name = decoder.decode(bytes)
  } catch {
    throw unsafeEntryError(Buffer.from(bytes).toString('latin1'), 'not-unicode', 'has a name that is not UTF-8')
  }
  // Readers differ in what they make of these: one ends a name at a NUL, another takes a line break for the end of a record.
  if (/\p{Cc}/u.test(name)) throw unsafeEntryError(name, 'control-character', PATH_RULES['control-character'])
  return name
}

/** A name that NULs may fill up. One that goes on after a NUL is refused. */
export const parsePaddedName = (field: Buffer): string => {
  const end = field.indexOf(0)
  return decodeName(end === -1 || !isZero(field.subarray(end)) ? field : field.subarray(0, end))
}

const parseTextField = (block: Buffer, start: number, length: number): string =>
  parsePaddedName(block.subarray(start, start + length))

const OCTAL = /^ *([0-7]*)[ \0]*$/

/** An octal field, or the big-endian form with the high bit set. Too large for a number reads as Infinity. */
const parseNumberField = (block: Buffer, start: number, length: number): number => {
  const first = block[start] ?? 0
  if (first & 0x80) {
    let value = first & 0x7f
    for (let at = start + 1; at < start + length; at++) value = value * 256 + (block[at] ?? 0)
    if (first === 0xff)
      throw corruptArchiveError('number', 'the archive is damaged: a header in it holds a negative number')
    return Number.isSafeInteger(value) ? value : Infinity
  }
  const digits = OCTAL.exec(block.toString('latin1', start, start + length))?.[1]
  if (digits === undefined)
    throw corruptArchiveError('number', 'the archive is damaged: a header in it holds a malformed number')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}
