import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { formatRef, parseRef } from './git-ref.ts'
import type { GitSpec } from './spec.ts'

/** The part of a git spec after the `#`. */
export type GitFragment = Pick<GitSpec, 'ref' | 'path'>

const PATH_SEPARATOR = '&path:'
const PATH_PREFIX = 'path:'

/** The text before the first `#` and the text after it; null when there is no `#`. */
export const splitFragment = (text: string): readonly [string, string | null] => {
  const at = text.indexOf('#')
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}

/** `<ref>`, `<ref>&path:<folder>` (split at the last one) or `path:<folder>`. */
export const parseFragment = (fragment: string | null): GitFragment => {
  if (fragment === null) return { ref: null, path: null }
  if (fragment === '')
    throw new GsdError('SPEC_MALFORMED', 'there is nothing after the "#"', {
      hint: 'add a tag, branch or commit, or remove the "#"',
    })
  const at = fragment.lastIndexOf(PATH_SEPARATOR)
  if (at !== -1)
    return { ref: parseRef(fragment.slice(0, at)), path: parseSubfolder(fragment.slice(at + PATH_SEPARATOR.length)) }
  if (fragment.startsWith(PATH_PREFIX)) return { ref: null, path: parseSubfolder(fragment.slice(PATH_PREFIX.length)) }
  if (fragment.includes('&')) rejectUnknownPart(fragment)
  return { ref: parseRef(fragment), path: null }
}

/** With its `#`; empty when there is neither ref nor path. */
export const formatFragment = ({ ref, path }: GitFragment): string => {
  if (ref === null) return path === null ? '' : `#${PATH_PREFIX}${path}`
  return `#${formatRef(ref)}${path === null ? '' : `${PATH_SEPARATOR}${path}`}`
}

/** A branch name can contain `&`, so only what looks like a second part is refused. */
const rejectUnknownPart = (fragment: string): void => {
  const second = /&([A-Za-z]+):/.exec(fragment)
  if (second === null) return
  throw new GsdError('SPEC_MALFORMED', `${quote(second[0])} in ${quote(fragment)} is unknown`, {
    hint: 'a subfolder is written &path:<folder>',
  })
}

/**
 * A subfolder of a repository: relative, with `/`, and inside of it.
 *
 * @throws GsdError `SPEC_REFUSED` where it would leave the repository, `SPEC_MALFORMED`
 */
export const parseSubfolder = (path: string): string => {
  const fault = subfolderProblem(path)
  if (fault === null) return path
  throw new GsdError(fault.leaves ? 'SPEC_REFUSED' : 'SPEC_MALFORMED', `the subfolder ${quote(path)} ${fault.what}`, {
    hint: 'write path:<folder>/<folder>, from the root of the repository',
  })
}

const subfolderProblem = (path: string): { readonly what: string; readonly leaves: boolean } | null => {
  if (path === '') return { what: 'is empty', leaves: false }
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return { what: 'is absolute', leaves: true }
  if (path.includes('\\')) return { what: 'contains a backslash', leaves: true }
  if (path.startsWith('-')) return { what: 'starts with "-", as a flag does', leaves: true }
  for (const part of path.split('/')) {
    if (part === '') return { what: 'has an empty segment', leaves: false }
    const plain = part.replace(/%2e/gi, '.')
    if (plain === '..') return { what: `has the segment ${quote(part)}`, leaves: true }
    if (plain === '.') return { what: `has the segment ${quote(part)}`, leaves: false }
  }
  return null
}
