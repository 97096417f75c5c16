import validRange from 'semver/ranges/valid.js'

/** Longest version or range that is read, in UTF-16 code units. */
export const MAX_VERSION_LENGTH = 256

/** Whether a text is a range in the full grammar of `semver`; a plain version is one too, an empty text is not. */
export const isRange = (text: string): boolean =>
  text.length <= MAX_VERSION_LENGTH && text.trim() !== '' && (COMMON_RANGE.test(text) || validRange(text) !== null)

/** Ranges such as `>=1.6.0 <3.0.0`: of thousands of manifests nearly all have one, and parsing it takes 20 µs. */
const COMMON_RANGE = /^(?:(?:^| )(?:[<>]=?|[\^~=])?(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){2})+$/
