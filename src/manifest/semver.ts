import parse from 'semver/functions/parse.js'
import validRange from 'semver/ranges/valid.js'
import { SEMVER } from './grammar.ts'

const MAX_VERSION_LENGTH = 256
/** Fewer digits in a row are a number that every program can compare. */
const MANY_DIGITS = /[0-9]{16}/

/** Whether a text is a version in strict SemVer 2.0 whose numbers a program can compare (rule 3). */
export const isStrictVersion = (text: string): boolean =>
  text.length <= MAX_VERSION_LENGTH && SEMVER.test(text) && (!MANY_DIGITS.test(text) || parse(text) !== null)

/** Whether a text is a range in the full grammar of `semver` (rules 7 and 8); a plain version is one too. */
export const isRange = (text: string): boolean => {
  const known = ranges.get(text)
  if (known !== undefined) return known
  const sound = text.length <= MAX_VERSION_LENGTH && text.trim() !== '' && validRange(text) !== null
  if (ranges.size >= MAX_CACHED_RANGES) ranges.clear()
  ranges.set(text, sound)
  return sound
}

/** Thousands of manifests share a handful of ranges, and parsing one costs as much as the rest of its manifest. */
const ranges = new Map<string, boolean>()
const MAX_CACHED_RANGES = 1000
