import type { Diagnostic } from '../../diagnostic.ts'
import type { GsdError } from '../../errors.ts'

/** The one JSON document of a `--json` answer (contract, "Command line"). */
export type JsonAnswer =
  | { readonly ok: true; readonly data: unknown; readonly warnings: readonly Diagnostic[] }
  | {
      readonly ok: false
      readonly error: GsdError
      /** Reports that are given whatever the exit status. */
      readonly data?: unknown
      readonly warnings: readonly Diagnostic[]
    }

/** Characters that JSON allows as they are, but a terminal might obey. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** One line for programs, indented for a person. */
export const jsonText = (document: JsonAnswer, indented: boolean): string => {
  const text = JSON.stringify(document, null, indented ? 2 : 0)
  return `${text.replace(CONTROL_CHARACTERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
