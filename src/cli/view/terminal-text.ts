/** The only control sequences the program writes itself: colours, as in `style.ts`. */
const STYLE_OR_CONTROL =
  /\u001b\[(?:0|1|2|22|3[0-9]|39)m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * The last look at text for a person before it is written. Whatever came from outside was made fit where it was put in;
 * what slipped through there, in the name of a file, say, does not move the cursor or turn the reading direction either.
 */
export const terminalText = (text: string): string =>
  text.replace(STYLE_OR_CONTROL, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
