const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type StyleName = keyof typeof CODES

/** Puts text in a colour or weight, or leaves it as it is where that is not wanted. */
export type Style = (name: StyleName, text: string) => string

export const withStyle: Style = (name, text) => {
  const [on, off] = CODES[name]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}

export const withoutStyle: Style = (_name, text) => text

/** The only control sequences the program writes itself: colours, as in `style.ts`. */
const STYLE_OR_CONTROL =
  /\u001b\[(?:0|1|2|22|3[0-9]|39)m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * The last look at text for a person before it is written. Whatever came from outside was made fit where it was put in;
 * what slipped through there, in the name of a file, say, does not move the cursor or turn the reading direction either.
 */
export const escapeControls = (text: string): string =>
  text.replace(STYLE_OR_CONTROL, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
