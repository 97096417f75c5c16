import { createScanner } from 'jsonc-parser'

/** A piece of a JSON text. `value` is everything that is not one of the others. */
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
export const findComma = (text: string, start: number, end: number): number =>
  tokensBetween(text, start, end).find((token) => token.kind === 'comma')?.start ?? -1

const OPEN_BRACE = 1
const CLOSE_BRACE = 2
const OPEN_BRACKET = 3
const CLOSE_BRACKET = 4

/** Offset of the first bracket deeper than `limit`, or -1, for parsers that recurse. */
export const findDeeperThan = (text: string, limit: number): number => {
  const scanner = createScanner(text, true)
  let depth = 0
  for (;;) {
    const kind: number = scanner.scan()
    if (kind === END_OF_FILE) return -1
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) depth++
    if (kind === CLOSE_BRACE || kind === CLOSE_BRACKET) depth--
    if (depth > limit) return scanner.getTokenOffset()
  }
}
