import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { findDeeperThan, tokensBetween } from './json-tokens.ts'
import { positionOf } from './text-patch.ts'

/** A settings text and its tree; `root` is null where the text is blank. */
export interface JsonDocument {
  readonly file: string
  readonly text: string
  readonly root: Node | null
}

const BLANK = /^\uFEFF?[ \t\r\n]*$/
const MAX_DEPTH = 512

export const isBlank = (text: string): boolean => BLANK.test(text)

/**
 * Reads a settings text as JSONC: comments, trailing commas and a BOM are allowed, whether the host takes them or not.
 * @throws HOST_SETTINGS_UNPARSABLE with line and column.
 */
export const parseDocument = (text: string, file: string): JsonDocument => {
  if (isBlank(text)) return { file, text, root: null }
  const readable = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text
  const deep = findDeeperThan(readable, MAX_DEPTH)
  if (deep !== -1) throw parseError(file, text, deep, `nested deeper than ${MAX_DEPTH} levels`)
  const errors: ParseError[] = []
  const root = parseTree(readable, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined && hasOnlyComments(readable)) {
    throw parseError(file, text, text.length, 'there are comments but no object', `add {} to ${file}`)
  }
  if (error !== undefined) throw parseError(file, text, error.offset, toWords(printParseErrorCode(error.error)))
  if (root === undefined) throw parseError(file, text, text.length, 'value expected')
  return { file, text, root }
}

/** A value of a type that the host does not read. @returns HOST_SETTINGS_SHAPE with line and column. */
export const shapeError = (
  { file, text }: Pick<JsonDocument, 'file' | 'text'>,
  offset: number,
  what: string,
  hint: string,
): GsdError => {
  const { line, column } = positionOf(text, offset)
  return new GsdError('HOST_SETTINGS_SHAPE', `${file}:${line}:${column}: ${what}`, {
    hint,
    details: { file, line, column },
  })
}

const parseError = (file: string, text: string, offset: number, what: string, remedy?: string): GsdError => {
  const { line, column } = positionOf(text, offset)
  const found = offset < text.length ? `, found ${describeCharacter(text, offset)}` : ' at the end of the file'
  const words = remedy === undefined ? what + found : what
  return new GsdError('HOST_SETTINGS_UNPARSABLE', `${file}:${line}:${column}: not JSON: ${words}`, {
    hint: `${remedy ?? `correct line ${line} of ${file}`}, then run the command again; the file was left as it is`,
    details: { file, line, column },
  })
}

/** The whole character at an offset; an invisible one by its code point. */
const describeCharacter = (text: string, offset: number): string => {
  const code = text.codePointAt(offset) ?? 0
  const char = String.fromCodePoint(code)
  return /[\p{Z}\p{C}]/u.test(char) && char !== ' '
    ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    : quote(char)
}

const hasOnlyComments = (text: string): boolean =>
  tokensBetween(text, 0, text.length).every(({ kind }) => kind !== 'value' && kind !== 'comma')

/** `CloseBraceExpected` → `close brace expected`. */
const toWords = (name: string): string => name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
