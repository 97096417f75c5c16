import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

/**
 * A subfolder of a repository: relative, with `/`, never leading out of it.
 *
 * @throws GsdError `SPEC_REFUSED` where it would leave the repository, `SPEC_MALFORMED`
 */
export const readInnerPath = (path: string): string => {
  const fault = faultOf(path)
  if (fault === null) return path
  throw new GsdError(fault.leaves ? 'SPEC_REFUSED' : 'SPEC_MALFORMED', `the subfolder ${quote(path)} ${fault.what}`, {
    hint: 'write path:<folder>/<folder>, from the root of the repository',
  })
}

const faultOf = (path: string): { readonly what: string; readonly leaves: boolean } | null => {
  if (path === '') return { what: 'is empty', leaves: false }
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return { what: 'is absolute', leaves: true }
  if (path.includes('\\')) return { what: 'holds a backslash', leaves: true }
  if (path.startsWith('-')) return { what: 'starts with "-", as a flag does', leaves: true }
  for (const part of path.split('/')) {
    if (part === '') return { what: 'has an empty segment', leaves: false }
    const plain = part.replace(/%2e/gi, '.')
    if (plain === '..') return { what: `has the segment ${quote(part)}`, leaves: true }
    if (plain === '.') return { what: `has the segment ${quote(part)}`, leaves: false }
  }
  return null
}
