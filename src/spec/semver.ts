import parse from 'semver/functions/parse.js'
import validRange from 'semver/ranges/valid.js'

/** As long as the longest version; longer ranges are refused unread. */
const MAX_RANGE_LENGTH = 256

/** True for any range of the `semver` grammar, an exact version included; an empty one is none. */
export const isRange = (text: string): boolean =>
  text.trim() !== '' && text.length <= MAX_RANGE_LENGTH && validRange(text) !== null

/** The version in its plain form (`v1.2.0` → `1.2.0`), or null. */
export const normalizeVersion = (text: string): string | null => parse(text)?.version ?? null
