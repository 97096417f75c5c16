import type { Surface } from './surface.ts'

/** Members of surfaces that never lead to a file: identifiers, words of the contract and hashes. */
const PLAIN_MEMBERS = new Set<string>(['kind', 'event', 'matcher', 'sha512', 'point', 'onError', 'when', 'transport'])

/** Every string of the surfaces, at any depth, that may lead to a file of the bundle; names of variables and headers too. */
export const surfaceStrings = (surfaces: readonly Surface[]): readonly string[] => [
  ...new Set(
    surfaces.flatMap((surface) =>
      Object.entries(surface).flatMap(([member, value]) => (PLAIN_MEMBERS.has(member) ? [] : stringsIn(value))),
    ),
  ),
]

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Array.isArray(value)
    ? value.flatMap(stringsIn)
    : Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)])
}

/**
 * Tests whether the strings name a file: by its base name anywhere in a string, by a folder above it, or by a pattern that
 * matches it. Errs on the side of naming: a file that is named is not prose, so its change needs consent.
 */
export const fileNaming = (strings: readonly string[]): ((path: string) => boolean) => {
  const texts = strings.flatMap(readings).map(folded)
  if (texts.some((text) => COMPUTED.test(text))) return () => true
  const assigned = new Set(
    texts.flatMap((text) => [...text.matchAll(ASSIGNED)].map(([, set, looped]) => set ?? looped ?? '')),
  )
  const words = [...new Set(texts.flatMap((text) => text.replace(MODIFIER, '${$1}').split(SEPARATORS)))].filter(
    (word) => word !== '',
  )
  const folders = new Set(words.map(plainFolder))
  const patterns = [...new Set(words.filter((word) => WILD.test(word)).flatMap((word) => patternOf(word, assigned)))]
  const matchers = patterns.map(toMatcher)
  return (path) => {
    const parts = folded(path).split('/')
    const base = parts.at(-1) ?? ''
    const tails = parts.map((_, at) => parts.slice(at).join('/'))
    return (
      texts.some((text) => text.includes(base)) ||
      parts.some((_, at) => at > 0 && folders.has(parts.slice(0, at).join('/'))) ||
      matchers.some((matches) => tails.some(matches))
    )
  }
}

/** As disks that ignore case and normalisation compare names. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/** The text, and what a shell, a URL or an escape makes of it. */
const readings = (text: string): readonly string[] => {
  const decoded = text.replace(ESCAPE, (_all, percent?: string, hex?: string, unit?: string, octal?: string) =>
    String.fromCharCode(octal === undefined ? parseInt(percent ?? hex ?? unit ?? '0', 16) : parseInt(octal, 8)),
  )
  return [...new Set([text, decoded, ...[text, decoded].map((each) => each.replace(QUOTING, ''))])]
}

const ESCAPE = /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\([0-7]{3})/gi
const QUOTING = /\\\r?\n|\$(?=['"])|["'\\^]/g
/** `${f:-x}` is `${f}` here. */
const MODIFIER = /\$\{[!#]?(\w+)[^}\w][^}]*\}/g
const SEPARATORS = /[\s"'=;|&()<>:@]+|,(?![^{]*\})/

/** Shell variables that are given a value in the same strings: `f=…`, `for f in …`, `read f`. */
const ASSIGNED = /\b([a-z_]\w*)=|\b(?:for|read)\s+(?:-\w+\s+)*([a-z_]\w*)/g
/** A name that is computed can be any name. */
const COMPUTED = /\$\(|`|\beval\b/

const WILD = /[*?[{$`!]/
const VARIABLE = /\$\{[^}]*\}|\$\w+|\{\{?\s*[\w.-]+\s*\}?\}/g

/**
 * A word as a pattern in which `*` is any text. A word that is one variable and nothing else names no file: its value comes
 * from outside the bundle, or is a string of the surfaces itself.
 */
const patternOf = (word: string, assigned: ReadonlySet<string>): readonly string[] => {
  const [only] = word.match(VARIABLE) ?? []
  if (only === word && !assigned.has(only.replace(/\W/g, ''))) return []
  const pattern = word
    .replace(VARIABLE, '*')
    .replace(/\{[^}]*\}|\[[^\]]*\]|\[|\{|[!+@?*]\(/g, '*')
    .replace(/\*+/g, '*')
  return [pattern.replace(/^(?:\*\/|\.{1,2}\/|\/)+/, '')]
}

const toMatcher = (pattern: string): ((text: string) => boolean) => {
  const pieces = pattern.split(/([*?])/)
  const source = pieces.map((piece) => (piece === '*' ? '.*' : piece === '?' ? '.' : escapeForPattern(piece))).join('')
  const expression = new RegExp(`^${source}$`, 's')
  return (text) => expression.test(text)
}

const escapeForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** `./docs/`, `${ROOT}/docs` and `a/../docs` are the folder `docs`. */
const plainFolder = (word: string): string => {
  const parts: string[] = []
  for (const part of word
    .replaceAll('\\', '/')
    .replace(/^(?:\$\{[^}]*\}|\$\w+|~)(?=\/)/, '')
    .split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
