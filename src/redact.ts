const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
/** Starts at the slashes, so that the search takes linear time. */
const URL_CREDENTIALS = /:\/\/[^/\s?#]*@/g
/** Keys of services, by their prefix. */
const SERVICE_KEY =
  /\b(gh[opsur]_|github_pat_|glpat-|xox[abprs]-|npm_|sk-(?=[a-z-]{0,12}[A-Za-z]*[0-9]))[A-Za-z0-9_-]{16,}|\b(AKIA)[A-Z0-9]{12,}|\b(AIza)[A-Za-z0-9_-]{20,}/g
const WEB_URL = /\b(?:https?|ssh|git\+https|git\+ssh):\/\/[^\s'"]+/gi
const QUERY = /^([^?#]+)\?[^#]+/

/**
 * Makes text from outside safe for a terminal and a log: control and direction-changing characters become escapes;
 * credentials and query strings of URLs, and keys with a known prefix, are removed.
 */
export const cleanText = (text: string): string =>
  text.length < SHORTEST_SECRET && PLAIN.test(text) ? text : cleanAnyText(text)

/** No service key, and no URL without a colon, is as short; a table is full of such texts. */
const SHORTEST_SECRET = 16
const PLAIN = /^[ -9;-~]*$/

const cleanAnyText = (text: string): string =>
  text
    .replace(CONTROL_CHARACTERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(URL_CREDENTIALS, '://')
    .replace(WEB_URL, (url) => url.replace(QUERY, '$1?…'))
    .replace(SERVICE_KEY, '$1$2$3…')

/** Whether a text contains a key with a known prefix. */
export const containsKey = (text: string): boolean => text.search(SERVICE_KEY) !== -1

const MAX_QUOTE_LENGTH = 120
/** A path that is cut cannot be found any more. */
const MAX_PATH_LENGTH = 1024
/** The rest is cut anyway. */
const MAX_INPUT_LENGTH = 8192

/** A value for a message: JSON-quoted, cut at 120 characters, an absolute path at 1,024. */
export const quote = (value: unknown): string => {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
  const longest = typeof value === 'string' && value.startsWith('/') ? MAX_PATH_LENGTH : MAX_QUOTE_LENGTH
  // Cleaned before it is cut, so that no part of a secret is left.
  return truncate(cleanText(text.length > MAX_INPUT_LENGTH ? text.slice(0, MAX_INPUT_LENGTH) : text), longest)
}

/** The beginning of a text, with an ellipsis if it is longer; never half a character. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…` : text

/** The first five, and an ellipsis if there are more. */
export const abbreviateList = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
