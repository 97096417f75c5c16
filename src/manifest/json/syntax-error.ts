import { quote } from '../../redact.ts'

/** Where a text stops being JSON, in words. */
export interface JsonSyntaxError {
  /** UTF-16 code units from the start of the text. */
  readonly offset: number
  readonly message: string
  readonly hint: string
}

/** What JSON allows where a text has something else. */
export type ExpectedToken =
  | 'value'
  | 'key'
  | 'item'
  | 'colon'
  | 'comma-or-brace'
  | 'comma-or-bracket'
  | 'escape'
  | 'end'

/** The error for what a text has at `offset` instead of what JSON expects there. */
export const unexpectedToken = (text: string, offset: number, expected: ExpectedToken): JsonSyntaxError => {
  const [message, hint] = describeUnexpected(text, offset, expected)
  return { offset, message, hint }
}

/** A raw control character, or the end of the text, inside the string that starts at `start`. */
export const controlCharacterError = (text: string, start: number, offset: number): JsonSyntaxError => {
  const code = text.charCodeAt(offset)
  if (Number.isNaN(code) || code === 0x0a || code === 0x0d) {
    return {
      offset: start,
      message: 'this string has no closing quote on its line',
      hint: 'close it with "; write a line break inside a string as \\n',
    }
  }
  const escape = code === 0x09 ? '\\t' : `\\u${code.toString(16).padStart(4, '0')}`
  return {
    offset,
    message: `a string contains the raw control character ${escape}`,
    hint: 'remove it',
  }
}

const EXPECTED = {
  value: 'a value is missing here',
  key: 'a key in double quotes is missing here',
  item: 'there is a comma before the closing bracket',
  colon: 'a colon is missing after the key',
  'comma-or-brace': 'a comma or } is missing here',
  'comma-or-bracket': 'a comma or ] is missing here',
  escape: 'this backslash does not start an escape that JSON has',
  end: 'there is something after the end of the value',
} as const satisfies Record<ExpectedToken, string>

const describeUnexpected = (
  text: string,
  offset: number,
  expected: ExpectedToken,
): readonly [words: string, hint: string] => {
  const char = text[offset]
  if (text.trim() === '')
    return ['the file is empty', 'start with { "id": …, or let "gsd capability init <id>" write it']
  if (expected === 'item') return [EXPECTED.item, 'remove the comma: JSON has none after the last element']
  if (expected === 'escape') return [EXPECTED.escape, 'write a backslash itself as \\\\']
  if (char === undefined) return ['the text ends too early: a bracket or quote is not closed', 'close every { [ and "']
  if (/^(?:\/\/|\/\*|#)/.test(text.slice(offset, offset + 2))) {
    return ['JSON has no comments', 'remove it; keys that start with "x-" are free for notes']
  }
  if (char === "'" || char === '`') return ['a string has the wrong quotes', 'put JSON strings in double quotes']
  if (char === '“' || char === '”') return ['this is a typographic quote', 'type the plain double quote "']
  const word = WORD.exec(text.slice(offset, offset + 40))?.[0]
  if (word !== undefined) return describeWord(word, expected, /[\w.+-]/.test(text[offset - 1] ?? ''))
  if (expected === 'end')
    return [`${EXPECTED.end}: ${formatCharacter(text, offset)}`, 'remove everything after the last }']
  if (expected === 'colon' || expected.startsWith('comma'))
    return [`${EXPECTED[expected]}, before ${formatCharacter(text, offset)}`, 'add it']
  return [`${EXPECTED[expected]}, before ${formatCharacter(text, offset)}`, 'add it, or remove that character']
}

/** A character, with its number unless it is printable ASCII. */
const formatCharacter = (text: string, offset: number): string => {
  const point = text.codePointAt(offset) ?? 0
  const char = quote(String.fromCodePoint(point))
  return point > 0x20 && point < 0x7f ? char : `${char} (U+${point.toString(16).toUpperCase().padStart(4, '0')})`
}

const WORD = /^[+.\-0-9A-Za-z_$][\w$.+-]*/
const JS_ONLY = /^(?:undefined|NaN|[+-]?Infinity|None|True|False|TRUE|FALSE|NULL|Null|nil)$/

/** `glued`: the word directly follows a number or word, so it belongs to it. */
const describeWord = (
  word: string,
  expected: ExpectedToken,
  glued: boolean,
): readonly [words: string, hint: string] => {
  if (expected === 'key') return [`the key ${word} has no quotes`, `write "${word}"`]
  if (expected === 'end' && !glued) return [`${EXPECTED.end}: ${word}`, 'remove everything after the last }']
  if (expected === 'value' && JS_ONLY.test(word)) {
    return [`${word} is not a JSON value`, 'JSON knows true, false, null, numbers and strings in double quotes']
  }
  if (/^[+.\-0-9]/.test(word) && (expected === 'value' || glued)) {
    return [`JSON does not allow numbers written like ${word}`, 'write numbers like 0, -1.5 or 1e3']
  }
  if (expected === 'value') return [`the word ${word} has no quotes`, `write "${word}"`]
  return [`${EXPECTED[expected]}, before ${word}`, 'add it']
}
