import { pointerTo } from './pointer.ts'
import { controlCharacterError, unexpectedToken, type JsonSyntaxError } from './syntax-error.ts'

/** Offsets of a member: of its key (null in arrays and at the root) and of its value. */
export interface MemberOffsets {
  readonly key: number | null
  readonly value: number
}

export interface JsonScan {
  /** The first position where the text stops being JSON. */
  readonly error: JsonSyntaxError | null
  /** JSON pointer → offsets; of repeated keys those of the last one, which counts. Not below `depth`. */
  readonly offsets: ReadonlyMap<string, MemberOffsets>
  /** Keys that repeat an earlier key of their object, with the offset of the later one. Not below `depth`. */
  readonly duplicates: readonly { readonly pointer: string; readonly key: string; readonly offset: number }[]
}

interface Frame {
  readonly close: '}' | ']'
  readonly pointer: string
  /** In an object: keys so far. */
  readonly keys: Set<string> | null
  /** Members so far. */
  count: number
  /** Offset of the comma just read, to name a trailing one. */
  comma: number | null
}

/**
 * Reads strict JSON (RFC 8259) exactly like `JSON.parse`, and records positions. Iterative, so any depth works. Ten times
 * slower than `JSON.parse`: only for texts in which a fault was found.
 */
export const scanJson = (text: string, depth: number): JsonScan => new JsonScanner(text, depth).run()

class JsonScanner {
  readonly #text: string
  readonly #depth: number
  readonly #stack: Frame[] = []
  readonly #spots = new Map<string, MemberOffsets>()
  readonly #duplicates: { pointer: string; key: string; offset: number }[] = []
  #at = 0
  #fault: JsonSyntaxError | null = null
  /** Pointer and key offset of the next value. */
  #pointer = ''
  #key: number | null = null

  constructor(text: string, depth: number) {
    this.#text = text
    this.#depth = depth
  }

  run(): JsonScan {
    while (this.#step()) continue
    this.#skipSpace()
    if (this.#fault === null && this.#at < this.#text.length) this.#refuse('end')
    return { error: this.#fault, offsets: this.#spots, duplicates: this.#duplicates }
  }

  /** One value and all brackets that close after it; false at the end of the root or at an error. */
  #step(): boolean {
    this.#skipSpace()
    if (!this.#value()) return false
    for (;;) {
      const frame = this.#stack.at(-1)
      if (frame === undefined) return false
      this.#skipSpace()
      if (this.#text[this.#at] === frame.close) {
        if (frame.comma !== null) return this.#refuse('item', frame.comma)
        this.#at++
        this.#stack.pop()
        continue
      }
      if (frame.count > 0 && frame.comma === null) {
        if (this.#text[this.#at] !== ',')
          return this.#refuse(frame.close === '}' ? 'comma-or-brace' : 'comma-or-bracket')
        frame.comma = this.#at++
        continue
      }
      return this.#member(frame)
    }
  }

  /** Prepares for the next value of a container: in an object, reads the key and the colon. */
  #member(frame: Frame): boolean {
    frame.comma = null
    frame.count++
    if (frame.keys === null) {
      this.#key = null
      this.#pointer = this.#child(frame, frame.count - 1)
      return true
    }
    const start = this.#at
    if (this.#text[start] !== '"') return this.#refuse('key')
    if (!this.#string()) return false
    const key = JSON.parse(this.#text.slice(start, this.#at)) as string
    this.#key = start
    this.#pointer = this.#child(frame, key)
    if (frame.keys.has(key) && this.#stack.length <= this.#depth)
      this.#duplicates.push({ pointer: this.#pointer, key, offset: start })
    frame.keys.add(key)
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') return this.#refuse('colon')
    this.#at++
    return true
  }

  #child(frame: Frame, key: string | number): string {
    return this.#stack.length > this.#depth ? frame.pointer : pointerTo(frame.pointer, key)
  }

  #value(): boolean {
    const char = this.#text[this.#at]
    if (this.#stack.length <= this.#depth) this.#spots.set(this.#pointer, { key: this.#key, value: this.#at })
    if (char === '{' || char === '[') {
      const object = char === '{'
      const close = object ? '}' : ']'
      this.#stack.push({ close, pointer: this.#pointer, keys: object ? new Set() : null, count: 0, comma: null })
      this.#at++
      return true
    }
    if (char === '"') return this.#string()
    SCALAR.lastIndex = this.#at
    const length = SCALAR.exec(this.#text)?.[0].length ?? 0
    if (length === 0) return this.#refuse('value')
    this.#at += length
    return true
  }

  #string(): boolean {
    const start = this.#at
    for (let i = start + 1; ; i++) {
      const code = this.#text.charCodeAt(i)
      if (code === QUOTE) {
        this.#at = i + 1
        return true
      }
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = i
        const length = ESCAPE.exec(this.#text)?.[0].length
        if (length === undefined) return this.#refuse('escape', i)
        i += length - 1
      } else if (!(code >= 0x20)) {
        this.#fault = controlCharacterError(this.#text, start, i)
        return false
      }
    }
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0
  }

  #refuse(expected: Parameters<typeof unexpectedToken>[2], at = this.#at): false {
    this.#fault = unexpectedToken(this.#text, at, expected)
    return false
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = /[ \t\r\n]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
