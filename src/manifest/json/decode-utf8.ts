import { isAscii } from 'node:buffer'

/** The text of a file, up to the first byte that is not UTF-8. */
export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string
  readonly hasBom: boolean
  readonly error: { readonly words: string } | null
}

/** UTF-8 bytes → text; `error` names the first byte that is not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): DecodedText => {
  // Most files are plain ASCII, and checking that is much cheaper than decoding.
  if (isAscii(bytes)) return { text: asciiText(bytes), hasBom: false, error: null }
  try {
    const text = STRICT_DECODER.decode(bytes)
    return text.charCodeAt(0) === BOM
      ? { text: text.slice(1), hasBom: true, error: null }
      : { text, hasBom: false, error: null }
  } catch {
    const offset = firstBadByte(bytes)
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, '0')
    const words = isUtf16(bytes) ? 'it looks like UTF-16' : `byte ${offset} (0x${byte}) starts no character`
    return { ...decodeUtf8(bytes.subarray(0, offset)), error: { words } }
  }
}

const asciiText = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1')

const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const BOM = 0xfeff

/** Whether bytes start with the byte order mark of UTF-16. */
export const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** How many bytes from the start are whole characters. */
const firstBadByte = (bytes: Uint8Array): number => {
  let offset = 0
  let length = 1
  while (length > 0 && offset < bytes.length) {
    length = characterLength(bytes, offset)
    offset += length
  }
  return offset
}

/** Bytes of the character that starts at `offset`; 0 when none does (Unicode, table 3-7). */
const characterLength = (bytes: Uint8Array, offset: number): number => {
  const first = bytes[offset] ?? 0
  if (first < 0x80) return 1
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0
  if (length === 0) return 0
  const second = bytes[offset + 1] ?? 0
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  for (let i = 2; i < length; i++) if (((bytes[offset + i] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}
