declare module 'spdx-expression-parse' {
  /** Throws when the text is no SPDX expression. */
  export default function parse(expression: string): unknown
}
