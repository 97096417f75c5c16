/**
 * A text in which every comment and every trailing comma of a JSON text with comments is replaced by blanks, so that
 * `JSON.parse` reads it and every offset still holds. Text inside of strings stays.
 */
export const withoutComments = (text: string): string => {
  const blanks: [start: number, end: number][] = []
  let comma = -1
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    const end = code === SLASH ? endOfComment(text, at) : -1
    if (end !== -1) blanks.push([at, end])
    else if (comma !== -1 && (code === CLOSE_BRACE || code === CLOSE_BRACKET)) blanks.push([comma, comma + 1])
    if (end === -1 && !isSpace(code)) comma = code === COMMA ? at : -1
    at = end !== -1 ? end : code === QUOTE ? endOfString(text, at) : at + 1
  }
  return blanked(
    text,
    blanks.sort(([a], [b]) => a - b),
  )
}

const blanked = (text: string, ranges: readonly (readonly [start: number, end: number])[]): string => {
  const parts: string[] = []
  let from = 0
  for (const [start, end] of ranges) {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\r\n]/g, ' '))
    from = end
  }
  return parts.join('') + text.slice(from)
}

export const COMMA = 0x2c
export const QUOTE = 0x22
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
const SLASH = 0x2f
const STAR = 0x2a
const BACKSLASH = 0x5c

export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Where the comment ends whose slash stands at `at`, or -1 where none begins. */
const endOfComment = (text: string, at: number): number => {
  const next = text.charCodeAt(at + 1)
  if (next === SLASH) {
    for (let end = at + 2; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === 0x0a || code === 0x0d) return end
    }
    return text.length
  }
  if (next !== STAR) return -1
  const end = text.indexOf('*/', at + 2)
  return end === -1 ? -1 : end + 2
}

/** Where the string that begins at `at` ends, its closing quote included. */
export const endOfString = (text: string, at: number): number => {
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === BACKSLASH) end++
    else if (code === QUOTE) return end + 1
  }
  return text.length
}

/** Whether brackets of a JSON text nest deeper than `limit`. */
export const nestsDeeper = (text: string, limit: number): boolean => {
  let depth = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
    if (depth > limit) return true
    at = code === QUOTE ? endOfString(text, at) : at + 1
  }
  return false
}
