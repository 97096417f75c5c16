import { LIMITS } from '../../bundle/limits.ts'
import { SKILLS_FOLDER } from '../limits.ts'

/** What nearly all paths look like, told at once. */
const USUAL = /^skills(?:\/[\w-][\w.-]{0,63}){1,8}$/
const CONTROL = /\p{Cc}/u
const SURROGATE = /\p{Surrogate}/u
const DRIVE = /^[a-z]:/i

/**
 * Why a path is not a plain path of a skill's folder, as words that end the sentence "the path `…` …"; null when it is one:
 * `skills/` and plain names. Names that only Windows refuses are plain: the manifest v1 has no rule against them.
 */
export const skillPathFault = (path: string): string | null => {
  if (USUAL.test(path)) return null
  const fault = plainPathFault(path)
  if (fault !== null) return fault
  const [first, second] = path.split('/')
  return first === SKILLS_FOLDER && second !== undefined ? null : 'does not lie below "skills/"'
}

/** Why a relative path is not made of plain names; null when it is. */
export const plainPathFault = (path: string): string | null => {
  if (path.length > LIMITS.path || Buffer.byteLength(path) > LIMITS.path) return `is longer than ${LIMITS.path} bytes`
  if (SURROGATE.test(path)) return 'is not valid Unicode'
  if (CONTROL.test(path)) return 'holds a NUL or control character'
  if (path.includes('\\')) return 'holds a backslash'
  if (path.startsWith('/')) return 'is an absolute path'
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment'
    if (segment === '..' || segment === '.') return `has a "${segment}" segment`
    if (DRIVE.test(segment)) return 'starts with a drive letter'
    if (Buffer.byteLength(segment) > LIMITS.segment) return `has a name longer than ${LIMITS.segment} bytes`
  }
  return null
}
