import { quote } from '../../redact.ts'

/** Where a text stops being JSON, said for a person. */
export interface JsonSyntaxError {
  /** UTF-16 code units from the start of the text. */
  readonly offset: number
  readonly message: string
  readonly hint: string
}

/** What JSON allows at the place where something else stands. */
export type ExpectedToken =
  | 'value'
  | 'key'
  | 'item'
  | 'colon'
  | 'comma-or-brace'
  | 'comma-or-bracket'
  | 'escape'
  | 'end'

/** Names what stands at `offset` in place of what JSON expects there. */
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
    message: `a raw control character (${escape}) stands inside a string`,
    hint: 'take it out',
  }
}

const EXPECTED = {
  value: 'a value is missing here',
  key: 'a key in double quotes is missing here',
  item: 'a comma stands before the closing bracket',
  colon: 'a colon is missing after the key',
  'comma-or-brace': 'a comma or } is missing here',
  'comma-or-bracket': 'a comma or ] is missing here',
  escape: 'this backslash starts no escape that JSON knows',
  end: 'there is something after the end of the manifest',
} as const satisfies Record<ExpectedToken, string>

const describeUnexpected = (
  text: string,
  offset: number,
  expected: ExpectedToken,
): readonly [words: string, hint: string] => {
  const char = text[offset]
  if (text.trim() === '')
    return ['the file is empty', 'start with { "id": …, or let "gsd capability init <id>" write one']
  if (expected === 'item') return [EXPECTED.item, 'take the comma out: JSON has none after the last element']
  if (expected === 'escape') return [EXPECTED.escape, 'write a backslash itself as \\\\']
  if (char === undefined)
    return ['the text ends too early: something that was opened is not closed', 'close every { [ and "']
  if (/^(?:\/\/|\/\*|#)/.test(text.slice(offset, offset + 2))) {
    return [
      'a comment stands here, and JSON has no comments',
      'take it out; keys that start with "x-" are free for notes',
    ]
  }
  if (char === "'" || char === '`')
    return ['a string stands in the wrong quotes', 'JSON strings stand in double quotes']
  if (char === '“' || char === '”') return ['a typographic quote stands here', 'type the plain double quote "']
  const word = WORD.exec(text.slice(offset, offset + 40))?.[0]
  if (word !== undefined) return describeWord(word, expected, /[\w.+-]/.test(text[offset - 1] ?? ''))
  if (expected === 'end')
    return [`${EXPECTED.end}: ${formatCharacter(text, offset)}`, 'take out everything after the last }']
  if (expected === 'colon' || expected.startsWith('comma'))
    return [`${EXPECTED[expected]}, before ${formatCharacter(text, offset)}`, 'add it']
  return [
    `${EXPECTED[expected]}; ${formatCharacter(text, offset)} stands there`,
    'fill in what is missing, or take that character out',
  ]
}

/** A character, and its number where it may not be seen for what it is. */
const formatCharacter = (text: string, offset: number): string => {
  const point = text.codePointAt(offset) ?? 0
  const char = quote(String.fromCodePoint(point))
  return point > 0x20 && point < 0x7f ? char : `${char} (U+${point.toString(16).toUpperCase().padStart(4, '0')})`
}

const WORD = /^[+.\-0-9A-Za-z_$][\w$.+-]*/
const JS_ONLY = /^(?:undefined|NaN|[+-]?Infinity|None|True|False|TRUE|FALSE|NULL|Null|nil)$/

/** `glued`: the word follows a number or a word without a gap, so it belongs to it. */
const describeWord = (
  word: string,
  expected: ExpectedToken,
  glued: boolean,
): readonly [words: string, hint: string] => {
  if (expected === 'key') return [`the key ${word} stands without quotes`, `write "${word}"`]
  if (expected === 'end' && !glued) return [`${EXPECTED.end}: ${word}`, 'take out everything after the last }']
  if (expected === 'value' && JS_ONLY.test(word)) {
    return [`${word} is not a JSON value`, 'JSON knows true, false, null, numbers and strings in double quotes']
  }
  if (/^[+.\-0-9]/.test(word) && (expected === 'value' || glued)) {
    return [`a number is written in a way that JSON does not know, at ${word}`, 'write numbers like 0, -1.5 or 1e3']
  }
  if (expected === 'value') return [`the word ${word} stands without quotes`, `write "${word}"`]
  return [`${EXPECTED[expected]}, before ${word}`, 'add it']
}
