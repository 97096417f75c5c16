import { isAscii } from 'node:buffer'
import { lineIndex } from '../../manifest/json/line-index.ts'
import { HIDDEN_RANGES } from './hidden-ranges.ts'

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

/**
 * Finds characters that hide or reorder text (security page, "Disclosure and consent"). What ordinary writing needs
 * passes, see {@link HIDDEN_RANGES}.
 *
 * @param most how many are named at the most
 */
export const findHiddenText = (text: string, most = 20): readonly HiddenCharacter[] => {
  const found: HiddenCharacter[] = []
  let position: ReturnType<typeof lineIndex> | null = null
  for (let at = 0; at < text.length && found.length < most; at += 1) {
    if (text.charCodeAt(at) < FIRST_SUSPECT) continue
    const code = text.codePointAt(at) ?? 0
    const range = HIDDEN_RANGES.find(([from, to]) => code >= from && code <= to)
    if (
      range !== undefined &&
      !range[3]?.({ text, at, before: codePointBefore(text, at), after: codePointAfter(text, at, code) })
    ) {
      position ??= lineIndex(text)
      const codePoint = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
      found.push({ ...position(at), codePoint, what: range[2] })
    }
    if (code > 0xffff) at += 1
  }
  return found
}

/**
 * The same for bytes. What is no UTF-8 is read as the hosts would read it: with marks in place of what makes no sense, so
 * that one wrong byte is no hiding place. ASCII costs one call.
 */
export const findHiddenInBytes = (bytes: Uint8Array): readonly HiddenCharacter[] =>
  isAscii(bytes) ? [] : findHiddenText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))

/** Nothing below is ever suspect. */
const FIRST_SUSPECT = 0xad

const codePointBefore = (text: string, at: number): number => {
  const low = text.charCodeAt(at - 1)
  const isPair = low >= 0xdc00 && low <= 0xdfff
  return at === 0 ? 0 : (text.codePointAt(isPair ? at - 2 : at - 1) ?? 0)
}
const codePointAfter = (text: string, at: number, code: number): number =>
  text.codePointAt(at + (code > 0xffff ? 2 : 1)) ?? 0
