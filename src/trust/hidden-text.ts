import { isAscii } from 'node:buffer'
import { lineIndex } from '../manifest/line-index.ts'

/** A character of a text that a reader does not see, or that makes them see another order. */
export interface HiddenCharacter {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 code units. */
  readonly column: number
  /** `U+202E` */
  readonly codePoint: string
  /** What it does, in words. */
  readonly what: string
}

/**
 * Finds characters that hide or reorder text (security page, "Disclosure and consent"). What ordinary writing needs
 * passes: joiners inside emoji and inside Arabic, Persian and Indic words, marks of direction beside right-to-left
 * letters, one variation selector after a character, a BOM at the very start.
 *
 * @param most how many are named at the most
 */
export const hiddenText = (text: string, most = 20): readonly HiddenCharacter[] => {
  const found: HiddenCharacter[] = []
  const position = lineIndex(text)
  for (const match of text.matchAll(SUSPECT)) {
    const what = verdictOn(text, match.index, match[0])
    if (what === null) continue
    const codePoint = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    found.push({ ...position(match.index), codePoint, what })
    if (found.length === most) break
  }
  return found
}

/** The same for bytes; null where they are no UTF-8 text, in which nothing is looked for. ASCII costs one call. */
export const hiddenInBytes = (bytes: Uint8Array): readonly HiddenCharacter[] | null => {
  if (isAscii(bytes)) return []
  try {
    return hiddenText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return null
  }
}

/**
 * Controls of direction, zero-width characters, tag characters, variation selectors, soft hyphens, invisible operators,
 * interlinear marks, and letters that are drawn as nothing.
 */
const SUSPECT =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu

/** What is wrong with a suspect where it stands; null where ordinary writing has it there. */
const verdictOn = (text: string, at: number, character: string): string | null => {
  const before = previous(text, at)
  const after = next(text, at + character.length)
  const code = character.codePointAt(0) ?? 0
  if (code === 0xfeff) return at === 0 ? null : 'a zero-width no-break space'
  if (code === 0x200d)
    return joinsEmoji(before, after) || joinsLetters(before, after) ? null : 'a zero-width joiner that joins nothing'
  if (code === 0x200c)
    return joinsLetters(before, after) ? null : 'a zero-width non-joiner outside a word that needs it'
  if (code === 0x200e || code === 0x200f || code === 0x061c) {
    return RIGHT_TO_LEFT.test(before) || RIGHT_TO_LEFT.test(after) || RIGHT_TO_LEFT.test(lineAround(text, at))
      ? null
      : 'a mark of direction'
  }
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
    return 'a control that reorders what is read'
  if (code >= 0xfe00 && code <= 0xfe0f)
    return isSelector(before) || before === ''
      ? 'a run of variation selectors'
      : isDrawn(before)
        ? null
        : 'a variation selector that selects nothing'
  if (code >= 0xe0100 && code <= 0xe01ef) return HAN.test(before) ? null : 'a variation selector that selects nothing'
  if (code >= 0xe0000 && code <= 0xe0fff) return inFlag(text, at) ? null : 'a tag character, which is not drawn'
  if (code >= 0x180b && code <= 0x180f) return MONGOLIAN.test(before) ? null : 'a Mongolian selector outside Mongolian'
  if (code === 0x17b4 || code === 0x17b5) return KHMER.test(before) ? null : 'a letter that is drawn as nothing'
  return 'a character that is drawn as nothing'
}

const previous = (text: string, at: number): string => {
  const low = text.charCodeAt(at - 1)
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at)
}
const next = (text: string, at: number): string =>
  String.fromCodePoint(...[text.codePointAt(at)].filter((code) => code !== undefined))

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u{1f1e6}-\u{1f1ff}\ufe0f\u20e3]/u
/** Scripts in which joiners shape words: Arabic and its neighbours, and the scripts of India and its neighbours. */
const SHAPED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Inherited}]/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const HAN = /\p{Script=Han}/u
const MONGOLIAN = /\p{Script=Mongolian}/u
const KHMER = /\p{Script=Khmer}/u

const joinsEmoji = (before: string, after: string): boolean => EMOJI.test(before) && EMOJI.test(after)
const joinsLetters = (before: string, after: string): boolean =>
  SHAPED.test(before) && (after === '' || !/[\u200b-\u200f]/.test(after))
const isSelector = (character: string): boolean => /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u.test(character)
const isDrawn = (character: string): boolean => /[^\s\p{C}]/u.test(character)

/** The flags of parts of countries: a black flag, tags for letters and digits, the closing tag; at most eight. */
const inFlag = (text: string, at: number): boolean => {
  const start = text.lastIndexOf('\u{1f3f4}', at)
  if (start < 0 || at - start > 16) return false
  return /^\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/u.test(text.slice(start, start + 18))
}

const lineAround = (text: string, at: number): string => {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end < 0 ? text.length : end)
}
