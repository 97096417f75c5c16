import type { Code } from '../codes.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { suggest } from './suggest.ts'

/** A word or flag that does not exist, with the nearest one that does. */
export const unknownWord = (
  code: Code,
  what: string,
  typed: string,
  known: readonly string[],
  meant: (word: string) => string = (word) => word,
): GsdError => {
  const near = suggest(typed, known)
  return new GsdError(code, `unknown ${what} ${quote(typed)}`, {
    hint: near === null ? `known are: ${known.join(', ')}` : `did you mean ${meant(near)}?`,
    details: { typed, ...(near === null ? {} : { suggestion: meant(near) }) },
  })
}
