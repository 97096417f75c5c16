/** The text of UTF-8 bytes, a BOM kept, or the place of the first byte that is not UTF-8 (1-based). */
export const decodeUtf8 = (bytes: Uint8Array): string | { readonly line: number; readonly column: number } => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return strict.decode(bytes)
  } catch {
    return firstInvalidByte(bytes, strict)
  }
}

const LINE_FEED = 0x0a

/** A line feed is never part of a longer UTF-8 sequence, so each line can be judged alone. */
const firstInvalidByte = (
  bytes: Uint8Array,
  strict: InstanceType<typeof TextDecoder>,
): { line: number; column: number } => {
  let start = 0
  for (let line = 1; ; line++) {
    const next = bytes.indexOf(LINE_FEED, start)
    const part = bytes.subarray(start, next === -1 ? undefined : next)
    try {
      strict.decode(part)
    } catch {
      return { line, column: new TextDecoder().decode(part).indexOf('\uFFFD') + 1 }
    }
    start = next + 1
  }
}
