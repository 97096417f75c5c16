import { lineIndex } from '../../manifest/json/line-index.ts'
import { isExempt, isSoftHyphen, SUSPECT, type Suspect } from './exemptions.ts'

/** A character of a text that a reader does not see, or that makes them see another order. */
export interface HiddenCharacter {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 code units. */
  readonly column: number
  /** `U+202E` */
  readonly codePoint: string
  /** What it is, in words. */
  readonly what: string
}

/** What is named at the most of one text. */
export const MAX_HIDDEN = 20

/** Letters for each soft hyphen that a text may have. */
const LETTERS_PER_HYPHEN = 100

const KINDS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/[\u202a-\u202e\u2066-\u2069]/, 'a control that changes the order of what is read'],
  [/[\u200e\u200f\u061c]/, 'a direction mark that is not beside right-to-left text'],
  [/\u00ad/, 'a soft hyphen outside a word, or one of too many'],
  [/\u001b/, 'the start of an escape sequence for terminals'],
  [/\r/, 'a carriage return without a line feed, which overwrites the line on a terminal'],
  [/\p{Cc}/u, 'a control character'],
  [/[\u2028\u2029]/, 'a line or paragraph separator'],
  [/\p{Co}/u, 'a private-use character, which means something else to everyone'],
  [/\p{Noncharacter_Code_Point}/u, 'a code point that is no character'],
  [/[\ufe00-\ufe0f\u180b-\u180f\u{e0100}-\u{e01ef}]/u, 'a variation selector that selects nothing'],
  [/[\u200c\u200d]/, 'a joiner that joins nothing'],
  [/[\u{e0000}-\u{e007f}]/u, 'a tag character, which is not drawn'],
]

const DRAWN_AS_NOTHING = 'a character that is drawn as nothing'

/**
 * Finds characters that hide or reorder text, by their Unicode properties (security page, "Hidden text"). What ordinary
 * writing needs passes, see `EXEMPTIONS`; a text with more than one soft hyphen in a hundred letters has all of them found.
 *
 * @param most how many are named at the most
 */
export const findHiddenText = (text: string, most = MAX_HIDDEN): readonly HiddenCharacter[] => {
  const scan = scanText(text, { most })
  return withExcessHyphens([scan], scan.softHyphenCount === 0 ? 0 : countLetters(text)).slice(0, most)
}

/** The hidden characters of a text in pieces, with its soft hyphens where they are too many for its letters. */
export const withExcessHyphens = (scans: readonly TextScan[], letters: number): readonly HiddenCharacter[] => {
  const count = scans.reduce((sum, { softHyphenCount }) => sum + softHyphenCount, 0)
  const hidden = scans.flatMap((scan) => scan.hidden)
  return count * LETTERS_PER_HYPHEN > letters ? [...hidden, ...scans.flatMap((scan) => scan.softHyphens)] : hidden
}

/** One piece of a text. Soft hyphens inside words are apart: only over the whole text can they be judged. */
export interface TextScan {
  readonly hidden: readonly HiddenCharacter[]
  /** The first of them. */
  readonly softHyphens: readonly HiddenCharacter[]
  readonly softHyphenCount: number
}

export interface ScanOptions {
  readonly most?: number
  /** Whether the piece is the start of its text, where a byte order mark may be. Default true. */
  readonly isStart?: boolean
}

export const scanText = (text: string, { most = MAX_HIDDEN, isStart = true }: ScanOptions = {}): TextScan => {
  const hidden: HiddenCharacter[] = []
  const softHyphens: HiddenCharacter[] = []
  let softHyphenCount = 0
  let position: ReturnType<typeof lineIndex> | null = null
  const search = new RegExp(SUSPECT.source, 'gv')
  for (let match = search.exec(text); match !== null && hidden.length < most; match = search.exec(text)) {
    const suspect = suspectAt(text, match.index, match[0])
    if (isExempt(suspect) && (isStart || suspect.char !== '\ufeff')) continue
    position ??= lineIndex(text)
    const list = isSoftHyphen(suspect) ? softHyphens : hidden
    if (list === softHyphens) softHyphenCount += 1
    if (list.length < most) list.push({ ...position(match.index), ...describe(suspect.char) })
  }
  return { hidden, softHyphens, softHyphenCount }
}

/** Letters of a text, as far as soft hyphens are counted against them. */
export const countLetters = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0

const suspectAt = (text: string, at: number, char: string): Suspect => {
  const low = text.charCodeAt(at - 1)
  const isPair = low >= 0xdc00 && low <= 0xdfff
  return {
    text,
    at,
    char,
    before: at === 0 ? '' : String.fromCodePoint(text.codePointAt(isPair ? at - 2 : at - 1) ?? 0),
    after: characterAt(text, at + char.length),
  }
}

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

const describe = (char: string): Pick<HiddenCharacter, 'codePoint' | 'what'> => ({
  codePoint: `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  what: KINDS.find(([pattern]) => pattern.test(char))?.[1] ?? DRAWN_AS_NOTHING,
})
