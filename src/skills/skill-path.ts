import { pathFault, PATH_RULES } from '../bundle/path-rules.ts'
import { SKILLS_FOLDER } from './limits.ts'

/**
 * Why a path is not a plain path of a skill's folder, as words that end the sentence "its path `…` …"; null when it is one.
 * The rules for a path of a bundle hold, and the first name is `skills`.
 */
export const skillPathFault = (path: string): string | null => {
  const fault = pathFault(path)
  if (fault !== null) return PATH_RULES[fault]
  const [first, second] = path.split('/')
  return first === SKILLS_FOLDER && second !== undefined ? null : 'does not lie below "skills/"'
}

/** Why a path inside a skill's folder is not plain; null when it is. */
export const innerPathFault = (path: string): string | null => {
  const fault = pathFault(path)
  return fault === null ? null : PATH_RULES[fault]
}
