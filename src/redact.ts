const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^/\s?#]*@/gi
/** Keys of services, by what they open with. */
const KEY =
  /\b(gh[opsur]_|github_pat_|glpat-|xox[abprs]-|npm_|sk-(?=[a-z-]{0,12}[A-Za-z]*[0-9]))[A-Za-z0-9_-]{16,}|\b(AKIA)[A-Z0-9]{12,}|\b(AIza)[A-Za-z0-9_-]{20,}/g
const URL_QUERY = /\b((?:https?|ssh|git\+https|git\+ssh):\/\/[^\s?#'"]+)\?[^\s#'"]+/gi

/**
 * Makes text that came from outside fit for a terminal and a log: control and direction-changing characters become
 * visible escapes; credentials and query strings of URLs, and keys that announce themselves, are cut out.
 */
export const cleanText = (text: string): string =>
  text
    .replace(CONTROL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(URL_CREDENTIALS, '$1')
    .replace(URL_QUERY, '$1?…')
    .replace(KEY, '$1$2$3…')

const LONGEST_QUOTE = 120
/** What is cut cannot be found by its path any more. */
const LONGEST_PATH = 1024

/** An offending value as it stands in a message: JSON-quoted, cut at 120 characters; an absolute path far later. */
export const quote = (value: unknown): string => {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
  const longest = typeof value === 'string' && value.startsWith('/') ? LONGEST_PATH : LONGEST_QUOTE
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cleanText(shown)
}
