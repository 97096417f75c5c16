/** Bytes of a line; a longer one is answered with an error and passed over. */
export const LONGEST_LINE = 1024 * 1024
/** How deep a message may be nested. */
export const DEEPEST_MESSAGE = 200

/** A line that came in: a message, or why it is none. */
export type InputLine =
  | { readonly kind: 'message'; readonly message: Readonly<Record<string, unknown>> }
  /** A code of JSON-RPC, with words that follow "the message". */
  | { readonly kind: 'fault'; readonly code: -32700 | -32600; readonly words: string }

/** Parts a stream into lines. A line longer than the bound is given as null, and its bytes are not kept. */
export class LineSplitter {
  #parts: Buffer[] = []
  #length = 0

  /** Lines that the chunk completes. */
  push(chunk: Buffer): readonly (string | null)[] {
    const lines: (string | null)[] = []
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end))
      lines.push(this.#take())
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  /** What came after the last line break; null for nothing, or too much. */
  end(): string | null {
    return this.#length === 0 ? null : this.#take()
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length > LONGEST_LINE) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #take(): string | null {
    const isWhole = this.#length <= LONGEST_LINE
    const line = isWhole ? Buffer.concat(this.#parts).toString('utf8') : null
    this.#parts = []
    this.#length = 0
    return line
  }
}

const NEWLINE = 0x0a

/** Judges one line: one JSON-RPC message, no batch, not nested too deep. Null for a blank line. */
export const parseLine = (line: string | null): InputLine | null => {
  if (line === null) return fault(-32600, `is longer than ${LONGEST_LINE} bytes`)
  if (line.trim() === '') return null
  if (depthOf(line) > DEEPEST_MESSAGE) return fault(-32600, `is nested deeper than ${DEEPEST_MESSAGE}`)
  const value = parsed(line)
  if (value === undefined) return fault(-32700, 'is not JSON')
  if (Array.isArray(value)) return fault(-32600, 'is a batch; send one message a line')
  if (typeof value !== 'object' || value === null) return fault(-32600, 'is not an object')
  return { kind: 'message', message: value as Readonly<Record<string, unknown>> }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const fault = (code: -32700 | -32600, words: string): InputLine => ({ kind: 'fault', code, words })

/** How deep brackets are nested, those inside of texts left out. */
const depthOf = (line: string): number => {
  let depth = 0
  let deepest = 0
  let inText = false
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (inText) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) inText = false
    } else if (code === QUOTE) inText = true
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1
  }
  return deepest
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
