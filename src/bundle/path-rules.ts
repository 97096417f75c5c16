import { LIMITS } from './limits.ts'

/** The rules a path of a bundle can break, as ends of the sentence "`<path>` …". */
export const PATH_RULES = {
  'empty-path': 'has no name',
  'not-unicode': 'is not valid Unicode',
  'control-character': 'holds a NUL or control character',
  backslash: 'holds a backslash',
  'absolute-path': 'is an absolute path',
  'drive-letter': 'starts with a drive letter',
  'empty-segment': 'has an empty segment',
  'parent-segment': 'has a ".." segment',
  'dot-segment': 'has a "." segment',
  'trailing-dot-or-blank': 'has a name that ends in a dot or blank',
  'device-name': 'has a name that Windows reserves for a device',
  'path-too-long': `is longer than ${LIMITS.path} bytes`,
  'segment-too-long': `has a name longer than ${LIMITS.segment} bytes`,
} as const

export type PathRule = keyof typeof PATH_RULES

const CONTROL_CHARACTER = /\p{Cc}/u
const SURROGATE = /\p{Surrogate}/u
const DRIVE_LETTER = /^[a-z]:/i
const ENDS_IN_DOT_OR_BLANK = /[.\s]$/u
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(?:[.:]|$)/i

/**
 * The first rule that a relative path breaks, or null (security, "Archives and trees"). The path has no
 * leading `./` and no trailing `/`.
 */
export const brokenPathRule = (path: string): PathRule | null => {
  if (path === '') return 'empty-path'
  if (SURROGATE.test(path)) return 'not-unicode'
  if (CONTROL_CHARACTER.test(path)) return 'control-character'
  if (path.includes('\\')) return 'backslash'
  if (path.startsWith('/')) return 'absolute-path'
  if (path.length > LIMITS.path || Buffer.byteLength(path) > LIMITS.path) return 'path-too-long'
  for (const segment of path.split('/')) {
    const fault = brokenSegmentRule(segment)
    if (fault !== null) return fault
  }
  return null
}

const brokenSegmentRule = (segment: string): PathRule | null => {
  if (segment === '') return 'empty-segment'
  if (segment === '..') return 'parent-segment'
  if (segment === '.') return 'dot-segment'
  // In any segment: the top folder of an archive is removed later.
  if (DRIVE_LETTER.test(segment)) return 'drive-letter'
  if (ENDS_IN_DOT_OR_BLANK.test(segment)) return 'trailing-dot-or-blank'
  if (DEVICE_NAME.test(segment)) return 'device-name'
  if (Buffer.byteLength(segment) > LIMITS.segment) return 'segment-too-long'
  return null
}

/** The folder of a path; '' for the root. */
export const parentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const ASCII = /^[\u0020-\u007e]*$/

/**
 * The key under which a file system that ignores case or normalises names would find this one. Canonical caseless
 * matching of Unicode: decomposed, folded, decomposed again. Lower case first and upper case last is full folding for
 * every character that has case (ß = SS, final sigma = sigma); it joins a few more, such as ı and i, which costs nothing.
 */
export const foldName = (name: string): string => {
  if (ASCII.test(name)) return name.toUpperCase()
  return name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD')
}

/** Names that are never part of a bundle, at any depth, with the note for the user. */
const EXCLUDED = new Map<string, string | null>([
  ['.git', null],
  ['node_modules', 'node_modules/ was left out: hooks and commands must bring what they need in files of their own'],
  ['.DS_Store', null],
])

const BY_FOLDED = new Map([...EXCLUDED.keys()].map((name) => [foldName(name), name]))

// HFS+ does not see these in a name, so `.g<joiner>it` is `.git` there.
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** True for a name that is never part of a bundle, in any form that a file system treats as the same. */
export const isExcludedName = (name: string): boolean => BY_FOLDED.has(foldName(name.replace(INVISIBLE, '')))

/** The excluded name that is a segment of a path, or null. */
export const excludedNameIn = (path: string): string | null => {
  for (const segment of path.split('/')) {
    const name = BY_FOLDED.get(foldName(segment.replace(INVISIBLE, '')))
    if (name !== undefined) return name
  }
  return null
}

/** Notes for the user about excluded names. */
export const excludedNotes = (names: Iterable<string>): string[] => {
  const notes: string[] = []
  for (const name of new Set(names)) {
    const note = EXCLUDED.get(name)
    if (note != null) notes.push(note)
  }
  return notes
}
