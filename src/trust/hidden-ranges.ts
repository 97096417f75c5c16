/** A suspect where it stands. `before` and `after` are code points; 0 at the ends of the text. */
export interface Suspect {
  readonly text: string
  /** In UTF-16 code units. */
  readonly at: number
  readonly before: number
  readonly after: number
}

/** First and last code point, what they are in words, and where ordinary writing has them; without that, nowhere. */
export type HiddenRange = readonly [number, number, string, ((suspect: Suspect) => boolean)?]

const is = (pattern: RegExp, code: number): boolean => code !== 0 && pattern.test(String.fromCodePoint(code))
const within = (code: number, from: number, to: number): boolean => code >= from && code <= to

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u
const VARIATION_16 = 0xfe0f
/** Scripts in which joiners shape words: Arabic and its neighbours, the scripts of India and its neighbours. */
const SHAPED =
  /\p{scx=Arab}|\p{scx=Syrc}|\p{scx=Nkoo}|\p{scx=Mong}|\p{scx=Deva}|\p{scx=Beng}|\p{scx=Guru}|\p{scx=Gujr}|\p{scx=Orya}|\p{scx=Taml}|\p{scx=Telu}|\p{scx=Knda}|\p{scx=Mlym}|\p{scx=Sinh}|\p{scx=Khmr}|\p{scx=Mymr}|\p{scx=Tibt}/u
/** Letters and digits: the marks themselves belong to these scripts too. */
const RIGHT_TO_LEFT = /(?=[\p{L}\p{N}])[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u

const joinsEmoji = ({ before, after }: Suspect): boolean =>
  (is(EMOJI, before) || before === VARIATION_16) && is(EMOJI, after)
const shapesWord = ({ before, after }: Suspect): boolean => is(SHAPED, before) && !within(after, 0x200b, 0x200f)

/** Beside right-to-left letters, or with some near it in the same line, which it then sets right. */
const setsDirection = ({ text, at }: Suspect): boolean => {
  const near = text.slice(Math.max(0, at - NEAR), at + NEAR)
  const here = at - Math.max(0, at - NEAR)
  const start = near.lastIndexOf('\n', here) + 1
  const end = near.indexOf('\n', here)
  return RIGHT_TO_LEFT.test(near.slice(start, end < 0 ? near.length : end))
}
/** Code units that are looked at on either side: a text of one line must not cost the square of its length. */
const NEAR = 2000

/** One selector after a character that has such forms; a run of them, or one after each letter, carries hidden data. */
const selectsForm = ({ before }: Suspect): boolean =>
  is(/[0\p{Sm}\p{So}\p{scx=Han}\p{scx=Kana}\p{scx=Mymr}\p{scx=Phag}\p{scx=Mani}]/u, before)
const selectsEmoji = ({ before }: Suspect): boolean => is(/\p{Emoji}|\p{Extended_Pictographic}/u, before)
const selectsHan = ({ before }: Suspect): boolean => is(/\p{Script=Han}/u, before)

/** Flags of parts of countries: a black flag, letters and digits as tags, the closing tag. */
const inFlag = ({ text, at }: Suspect): boolean => {
  const start = text.lastIndexOf('\u{1f3f4}', at)
  if (start < 0 || at - start > LONGEST_FLAG) return false
  const flag = /^\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/u.exec(
    text.slice(start, start + LONGEST_FLAG),
  )
  return flag !== null && at < start + flag[0].length
}
const LONGEST_FLAG = 16

const NOTHING = 'a character that is drawn as nothing'
const REORDERS = 'a control that changes the order of what is read'
const MARK = 'a mark of direction without right-to-left text'
const SELECTOR = 'a variation selector that selects nothing'

/** Everything that hides or reorders text, by code point. */
export const HIDDEN_RANGES: readonly HiddenRange[] = [
  [0xad, 0xad, 'a soft hyphen'],
  [0x34f, 0x34f, NOTHING],
  [0x61c, 0x61c, MARK, setsDirection],
  [
    0x115f,
    0x1160,
    'a letter that is drawn as nothing',
    ({ before, after }) => is(/\p{Script=Hangul}/u, before) || is(/\p{Script=Hangul}/u, after),
  ],
  [0x17b4, 0x17b5, 'a letter that is drawn as nothing', ({ before }) => is(/\p{Script=Khmer}/u, before)],
  [0x180b, 0x180f, 'a Mongolian selector outside Mongolian', ({ before }) => is(/\p{Script=Mongolian}/u, before)],
  [
    0x200b,
    0x200b,
    'a zero-width space',
    ({ before, after }) => is(/\p{scx=Thai}|\p{scx=Laoo}|\p{scx=Khmr}|\p{scx=Mymr}/u, before) && after !== 0x200b,
  ],
  [0x200c, 0x200c, 'a zero-width non-joiner outside a word that needs it', shapesWord],
  [0x200d, 0x200d, 'a zero-width joiner that joins nothing', (suspect) => joinsEmoji(suspect) || shapesWord(suspect)],
  [0x200e, 0x200f, MARK, setsDirection],
  [0x202a, 0x202e, REORDERS],
  [0x2060, 0x2065, NOTHING],
  [0x2066, 0x2069, REORDERS],
  [0x206a, 0x206f, NOTHING],
  [
    0x2800,
    0x2800,
    'an empty Braille pattern',
    ({ before, after }) => within(before, 0x2801, 0x28ff) || within(after, 0x2801, 0x28ff),
  ],
  [0x3164, 0x3164, 'a letter that is drawn as nothing'],
  [0xfe00, 0xfe0d, SELECTOR, selectsForm],
  [0xfe0e, 0xfe0f, SELECTOR, selectsEmoji],
  [0xfeff, 0xfeff, 'a zero-width no-break space', ({ at }) => at === 0],
  [0xffa0, 0xffa0, 'a letter that is drawn as nothing'],
  [0xfff9, 0xfffb, 'a mark of interlinear text'],
  [0x1bca0, 0x1bca3, NOTHING],
  [0x1d173, 0x1d17a, NOTHING],
  [0xe0000, 0xe00ff, 'a tag character, which is not drawn', inFlag],
  [0xe0100, 0xe01ef, SELECTOR, selectsHan],
  [0xe01f0, 0xe0fff, NOTHING],
]
