/** A suspect where it stands. `before` and `after` are code points; 0 at the ends of the text. */
export interface SuspectCharacter {
  readonly text: string
  /** In UTF-16 code units. */
  readonly at: number
  readonly before: number
  readonly after: number
}

/** First and last code point, what they are in words, and where ordinary writing has them; without that, nowhere. */
export type HiddenRange = readonly [number, number, string, ((suspect: SuspectCharacter) => boolean)?]

const matchesCodePoint = (pattern: RegExp, code: number): boolean =>
  code !== 0 && pattern.test(String.fromCodePoint(code))
const isBetween = (code: number, from: number, to: number): boolean => code >= from && code <= to

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u
const VARIATION_16 = 0xfe0f
/** Scripts in which joiners shape words: Arabic and its neighbours, the scripts of India and its neighbours. */
const JOINING_SCRIPTS =
  /\p{scx=Arab}|\p{scx=Syrc}|\p{scx=Nkoo}|\p{scx=Mong}|\p{scx=Deva}|\p{scx=Beng}|\p{scx=Guru}|\p{scx=Gujr}|\p{scx=Orya}|\p{scx=Taml}|\p{scx=Telu}|\p{scx=Knda}|\p{scx=Mlym}|\p{scx=Sinh}|\p{scx=Khmr}|\p{scx=Mymr}|\p{scx=Tibt}/u
/** Letters and digits: the marks themselves belong to these scripts too. */
const RIGHT_TO_LEFT = /(?=[\p{L}\p{N}])[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u

const joinsEmoji = ({ before, after }: SuspectCharacter): boolean =>
  (matchesCodePoint(EMOJI, before) || before === VARIATION_16) && matchesCodePoint(EMOJI, after)
const isInsideJoinedWord = ({ before, after }: SuspectCharacter): boolean =>
  matchesCodePoint(JOINING_SCRIPTS, before) && !isBetween(after, 0x200b, 0x200f)

/** Beside right-to-left letters, or with some near it in the same line, which it then sets right. */
const isNearRightToLeft = ({ text, at }: SuspectCharacter): boolean => {
  const near = text.slice(Math.max(0, at - CONTEXT_LENGTH), at + CONTEXT_LENGTH)
  const here = at - Math.max(0, at - CONTEXT_LENGTH)
  const start = near.lastIndexOf('\n', here) + 1
  const end = near.indexOf('\n', here)
  return RIGHT_TO_LEFT.test(near.slice(start, end < 0 ? near.length : end))
}
/** Code units that are looked at on either side: a text of one line must not cost the square of its length. */
const CONTEXT_LENGTH = 2000

/** One selector after a character that has such forms; a run of them, or one after each letter, carries hidden data. */
const isAfterSymbol = ({ before }: SuspectCharacter): boolean =>
  matchesCodePoint(/[0\p{Sm}\p{So}\p{scx=Han}\p{scx=Kana}\p{scx=Mymr}\p{scx=Phag}\p{scx=Mani}]/u, before)
const isAfterEmoji = ({ before }: SuspectCharacter): boolean =>
  matchesCodePoint(/\p{Emoji}|\p{Extended_Pictographic}/u, before)
const isAfterHan = ({ before }: SuspectCharacter): boolean => matchesCodePoint(/\p{Script=Han}/u, before)

/** Flags of parts of countries: a black flag, letters and digits as tags, the closing tag. */
const isInFlag = ({ text, at }: SuspectCharacter): boolean => {
  const start = text.lastIndexOf('\u{1f3f4}', at)
  if (start < 0 || at - start > MAX_FLAG_LENGTH) return false
  const flag = /^\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/u.exec(
    text.slice(start, start + MAX_FLAG_LENGTH),
  )
  return flag !== null && at < start + flag[0].length
}
const MAX_FLAG_LENGTH = 16

const INVISIBLE = 'a character that is drawn as nothing'
const REORDERING = 'a control that changes the order of what is read'
const DIRECTION_MARK = 'a mark of direction without right-to-left text'
const SELECTOR = 'a variation selector that selects nothing'

/** Everything that hides or reorders text, by code point. */
export const HIDDEN_RANGES: readonly HiddenRange[] = [
  [0xad, 0xad, 'a soft hyphen'],
  [0x34f, 0x34f, INVISIBLE],
  [0x61c, 0x61c, DIRECTION_MARK, isNearRightToLeft],
  [
    0x115f,
    0x1160,
    'a letter that is drawn as nothing',
    ({ before, after }) =>
      matchesCodePoint(/\p{Script=Hangul}/u, before) || matchesCodePoint(/\p{Script=Hangul}/u, after),
  ],
  [0x17b4, 0x17b5, 'a letter that is drawn as nothing', ({ before }) => matchesCodePoint(/\p{Script=Khmer}/u, before)],
  [
    0x180b,
    0x180f,
    'a Mongolian selector outside Mongolian',
    ({ before }) => matchesCodePoint(/\p{Script=Mongolian}/u, before),
  ],
  [
    0x200b,
    0x200b,
    'a zero-width space',
    ({ before, after }) =>
      matchesCodePoint(/\p{scx=Thai}|\p{scx=Laoo}|\p{scx=Khmr}|\p{scx=Mymr}/u, before) && after !== 0x200b,
  ],
  [0x200c, 0x200c, 'a zero-width non-joiner outside a word that needs it', isInsideJoinedWord],
  [
    0x200d,
    0x200d,
    'a zero-width joiner that joins nothing',
    (suspect) => joinsEmoji(suspect) || isInsideJoinedWord(suspect),
  ],
  [0x200e, 0x200f, DIRECTION_MARK, isNearRightToLeft],
  [0x202a, 0x202e, REORDERING],
  [0x2060, 0x2065, INVISIBLE],
  [0x2066, 0x2069, REORDERING],
  [0x206a, 0x206f, INVISIBLE],
  [
    0x2800,
    0x2800,
    'an empty Braille pattern',
    ({ before, after }) => isBetween(before, 0x2801, 0x28ff) || isBetween(after, 0x2801, 0x28ff),
  ],
  [0x3164, 0x3164, 'a letter that is drawn as nothing'],
  [0xfe00, 0xfe0d, SELECTOR, isAfterSymbol],
  [0xfe0e, 0xfe0f, SELECTOR, isAfterEmoji],
  [0xfeff, 0xfeff, 'a zero-width no-break space', ({ at }) => at === 0],
  [0xffa0, 0xffa0, 'a letter that is drawn as nothing'],
  [0xfff9, 0xfffb, 'a mark of interlinear text'],
  [0x1bca0, 0x1bca3, INVISIBLE],
  [0x1d173, 0x1d17a, INVISIBLE],
  [0xe0000, 0xe00ff, 'a tag character, which is not drawn', isInFlag],
  [0xe0100, 0xe01ef, SELECTOR, isAfterHan],
  [0xe01f0, 0xe0fff, INVISIBLE],
]
