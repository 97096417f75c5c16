/** Characters that JSON allows as they are, but a terminal might obey. */
const OBEYED = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A bare document with two blanks of indentation, as hosts read it that call GSD Core with `--raw`. */
export const rawJson = (document: unknown): string =>
  `${JSON.stringify(document, null, 2).replace(OBEYED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
