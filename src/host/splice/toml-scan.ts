/** One statement or comment of a TOML text. `end` is after its last character, `lineEnd` after the line break. */
export interface TomlItem {
  readonly kind: 'header' | 'pair' | 'comment'
  readonly start: number
  readonly end: number
  readonly lineEnd: number
}

/**
 * The statements and comments of a TOML text that a parser has already accepted, in order. Strings and arrays over
 * several lines are one statement; what looks like a header or a comment inside them is not.
 */
export const scanToml = (text: string): TomlItem[] => {
  const items: TomlItem[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    at = endOfMatch(text, at, /[ \t\r\n]*/y)
    if (at >= text.length) return items
    const first = text.charAt(at)
    const kind = first === '#' ? 'comment' : first === '[' ? 'header' : 'pair'
    const stop = kind === 'comment' ? endOfMatch(text, at, /[^\r\n]*/y) : statementEnd(text, at)
    const end = at + text.slice(at, stop).trimEnd().length
    items.push({ kind, start: at, end, lineEnd: endOfMatch(text, endOfMatch(text, end, /[^\r\n]*/y), /\r?\n?/y) })
    at = stop
  }
}

/** Where a statement ends: at a line break or a comment outside every string and bracket. */
const statementEnd = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length;) {
    const char = text.charAt(at)
    if (char === '"' || char === "'") {
      at = stringEnd(text, at)
      continue
    }
    if (char === '#') {
      if (depth === 0) return at
      at = endOfMatch(text, at, /[^\r\n]*/y)
      continue
    }
    if (depth === 0 && (char === '\n' || char === '\r')) return at
    if (char === '[' || char === '{') depth++
    if (char === ']' || char === '}') depth--
    at++
  }
  return text.length
}

const STRING_FORMS: readonly RegExp[] = [
  /"""(?:[^"\\]+|\\[\s\S]|"(?!""))*"""(?:"{1,2}(?!"))?/y,
  /'''(?:[^']+|'(?!''))*'''(?:'{1,2}(?!'))?/y,
  /"(?:[^"\\\n]+|\\.)*"/y,
  /'[^'\n]*'/y,
]

const stringEnd = (text: string, start: number): number => {
  for (const form of STRING_FORMS) {
    const end = endOfMatch(text, start, form)
    if (end > start) return end
  }
  return start + 1
}

/** Offset after what the sticky expression matches at `at`; `at` itself when it does not. */
const endOfMatch = (text: string, at: number, sticky: RegExp): number => {
  sticky.lastIndex = at
  return sticky.exec(text) === null ? at : sticky.lastIndex
}
