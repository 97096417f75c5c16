import { createScanner } from 'jsonc-parser'

/** What stands between the values of a JSON text. `value` is everything that is not one of the others. */
export type TokenKind = 'comma' | 'line-comment' | 'block-comment' | 'break' | 'space' | 'value'

export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

/** Numbers of jsonc-parser's SyntaxKind, a const enum that isolated modules cannot import. */
const KINDS: ReadonlyMap<number, TokenKind> = new Map([
  [5, 'comma'],
  [12, 'line-comment'],
  [13, 'block-comment'],
  [14, 'break'],
  [15, 'space'],
])
const END_OF_FILE = 17

/** The tokens that start in the stretch, in order. `start` must not lie inside a token. */
export const tokensBetween = (text: string, start: number, end: number): Token[] => {
  const scanner = createScanner(text)
  scanner.setPosition(start)
  const tokens: Token[] = []
  for (;;) {
    const kind: number = scanner.scan()
    const at = scanner.getTokenOffset()
    if (kind === END_OF_FILE || at >= end) return tokens
    tokens.push({ kind: KINDS.get(kind) ?? 'value', start: at, end: at + scanner.getTokenLength() })
  }
}

export const isComment = (token: Token): boolean => token.kind === 'line-comment' || token.kind === 'block-comment'

/** Offset of the comma in a stretch between two values, or -1. */
export const commaBetween = (text: string, start: number, end: number): number =>
  tokensBetween(text, start, end).find((token) => token.kind === 'comma')?.start ?? -1

const OPENING = new Set(['{', '['])
const CLOSING = new Set(['}', ']'])

/** Offset of the first bracket that stands deeper than `limit`, or -1. A parser that recurses must ask this first. */
export const deeperThan = (text: string, limit: number): number => {
  let depth = 0
  for (const { kind, start } of tokensBetween(text, 0, text.length)) {
    const first = text.charAt(start)
    if (kind !== 'value') continue
    if (OPENING.has(first) && ++depth > limit) return start
    if (CLOSING.has(first)) depth--
  }
  return -1
}
