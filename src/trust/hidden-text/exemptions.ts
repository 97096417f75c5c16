import { lazy } from '../../lazy.ts'

/** A character that may hide something, where it is in its text. */
export interface Suspect {
  readonly text: string
  /** In UTF-16 code units. */
  readonly at: number
  readonly char: string
  /** The characters on either side; empty at the ends of the text. */
  readonly before: string
  readonly after: string
}

/** Everything that is drawn as nothing, changes how its neighbours are drawn, or is no character at all. */
export const SUSPECT = new RegExp(
  String.raw`[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}\u2800]--[\t\n]]`,
  'v',
)

/** Scripts whose letters change their shape beside a joiner. */
const JOINING =
  /^(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Bali}\p{scx=Java}]$/u
/** A sign that takes the vowel from a consonant; a joiner behind it shows the consonant's half form, also at a word's end. */
const VIRAMA = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]$/u
/** Scripts that are written without spaces between words. */
const UNSPACED = /^(?=[\p{L}\p{M}])[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]$/u
const LETTER = /^[\p{L}\p{M}]$/u
const RIGHT_TO_LEFT =
  /^(?=\p{L})[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Samr}\p{scx=Mand}]$/u
/** What stands between a direction mark and the word it belongs to. */
const NEUTRAL = /^[\p{M}\p{N}\p{P}\p{S}\p{Zs}]$/u
const MAX_NEUTRALS = 8

/** Visible signs that enclose the digits behind them (Unicode, Prepended_Concatenation_Mark). */
const PREPENDED = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u

const MONGOLIAN = /^(?=\p{L})\p{Script=Mongolian}$/u

/** Variation selectors and the characters that have them registered (Unicode, StandardizedVariants and emoji-variation-sequences). */
const VARIATIONS: readonly (readonly [selector: RegExp, base: RegExp])[] = [
  [/^[\ufe0e\ufe0f]$/u, /^\p{Emoji}$/u],
  [
    /^\ufe00$/u,
    /^[0\uff10\u2205\u2229\u222a\u2268\u2269\u2272\u2273\u228a\u228b\u2293-\u2295\u2297\u229c\u22da\u22db\u2a3c\u2a3d\u2a9d\u2a9e\u2aac\u2aad\u2acb\u2acc\u{10ac5}\u{10ac6}\u{10ad6}\u{10ad7}\u{10ae1}]$/u,
  ],
  [/^\ufe00$/u, /^(?=\p{L})[\p{Script=Myanmar}\p{Script=Phags_Pa}]$/u],
  [/^[\ufe00\ufe01]$/u, /^[\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\u{1d49c}-\u{1d4b5}]$/u],
  [/^[\ufe00-\ufe02]$/u, /^\p{Script=Han}$/u],
  [/^[\u{e0100}-\u{e01ef}]$/u, /^\p{Script=Han}$/u],
  [/^[\u180b-\u180d\u180f]$/u, MONGOLIAN],
]

/**
 * Fully qualified emoji: joiners, selectors and the tags of flags inside one are part of what is drawn. The pattern takes 10 ms to
 * make, so it is made when an emoji asks for it.
 */
const emojiPattern = lazy(() => new RegExp(String.raw`\p{RGI_Emoji}`, 'gv'))
const EMOJI_PART = /^(?:\p{Emoji}|\u200d|\ufe0e|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}])$/u
/** Code units on either side in which an emoji begins and ends. */
const MAX_EMOJI = 48
/** An emoji that is drawn as text without the selector, which many editors leave out. */
const UNQUALIFIED = new RegExp(
  String.raw`[\p{Emoji}--[\p{Emoji_Presentation}0-9#*]](?!\ufe0f|\p{Emoji_Modifier})`,
  'gv',
)

/** One rule of ordinary writing: the characters it is about, and where they are part of what a reader sees. */
type Exemption = readonly [chars: RegExp, applies: (suspect: Suspect) => boolean]

const isPlain = (char: string): boolean => !SUSPECT.test(char) || char === '\r'

export const EXEMPTIONS: readonly Exemption[] = [
  [/^\r$/, ({ after }) => after === '\n'],
  [/^\ufeff$/, ({ at }) => at === 0],
  [PREPENDED, () => true],
  [/^(?:\u200d|\ufe0f|[\u{e0020}-\u{e007f}])$/u, (suspect) => isInsideEmoji(suspect)],
  [/^[\u200c\u200d]$/, ({ before, after }) => JOINING.test(before) && JOINING.test(after)],
  [/^\u200d$/, ({ before, after }) => VIRAMA.test(before) && isPlain(after)],
  [/^\u180e$/, ({ before, after }) => MONGOLIAN.test(before) && MONGOLIAN.test(after)],
  [/^\u200b$/, ({ before, after }) => UNSPACED.test(before) && UNSPACED.test(after)],
  [/^[\u200e\u200f\u061c]$/, (suspect) => isBesideRightToLeft(suspect)],
  [/^[\ufe00-\ufe0f\u180b-\u180f\u{e0100}-\u{e01ef}]$/u, ({ char, before }) => isRegisteredVariation(char, before)],
  [/^\u2800$/, ({ before, after }) => /[\u2801-\u28ff]/.test(before + after)],
]

/** A soft hyphen, which is counted: see `findHiddenText`. */
export const isSoftHyphen = ({ char, before, after }: Suspect): boolean =>
  char === '\u00ad' && LETTER.test(before) && LETTER.test(after) && !SUSPECT.test(before + after)

export const isExempt = (suspect: Suspect): boolean =>
  EXEMPTIONS.some(([chars, applies]) => chars.test(suspect.char) && applies(suspect))

const isRegisteredVariation = (char: string, before: string): boolean =>
  VARIATIONS.some(([selector, base]) => selector.test(char) && base.test(before))

/** A fixed number of neutral characters may be in between; a second mark, or a letter of another direction, ends the search. */
const isBesideRightToLeft = ({ text, at, before, after }: Suspect): boolean => {
  if (!isPlain(before) || !isPlain(after)) return false
  const left = Array.from(text.slice(Math.max(0, at - MAX_NEUTRALS), at)).reverse()
  const right = Array.from(text.slice(at + 1, at + 1 + MAX_NEUTRALS))
  return [left, right].some((side) => RIGHT_TO_LEFT.test(side.find((char) => !NEUTRAL.test(char)) ?? ''))
}

const isInsideEmoji = ({ text, at, char }: Suspect): boolean => {
  const before = Array.from(text.slice(Math.max(0, at - MAX_EMOJI), at))
  const after = Array.from(text.slice(at + char.length, at + char.length + MAX_EMOJI))
  const first = before.length - [...before].reverse().findIndex((part) => !EMOJI_PART.test(part))
  const start = before.slice(first > before.length ? 0 : first)
  const end = after.findIndex((part) => !EMOJI_PART.test(part))
  const parts = [...start, char, ...(end < 0 ? after : after.slice(0, end))]
  return isCovered(parts.join(''), start.join('').length) || isCovered(...qualified(parts, start.length))
}

/** Whether an emoji of the run reaches over a place in it, and goes on behind it or ends with it. */
const isCovered = (run: string, at: number): boolean =>
  [...run.matchAll(emojiPattern())].some(({ 0: emoji, index }) => index < at && at < index + emoji.length)

/** The run with the selectors that were left out, and where the place is then. */
const qualified = (parts: readonly string[], place: number): readonly [run: string, at: number] => {
  return [qualify(parts.join('')), qualify(parts.slice(0, place).join('')).length]
}

const qualify = (text: string): string => text.replace(UNQUALIFIED, '$&\ufe0f')
