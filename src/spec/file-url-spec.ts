import { resolve } from 'node:path/posix'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { checkCharacters, networkPathError } from './check-spec-text.ts'
import { parseFragment } from './git-fragment.ts'
import { specFromPath } from './path-spec.ts'
import type { RawUrl, Spec } from './spec.ts'

const SHAPE = /^file:\/\/([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/i

/**
 * `file:///…`: a repository when it ends in `.git` or `git+` says so, an archive when it ends as one, else a folder. A
 * host other than this machine is refused.
 */
export const parseFileUrl = ({ url, fragment, text }: RawUrl, forcedGit: boolean): Spec => {
  const path = parseFilePath(url, text)
  if (forcedGit || /[^/]\.git\/?$/.test(path))
    return { kind: 'git', url: formatFileUrl(resolve(path)), ...parseFragment(fragment) }
  if (fragment !== null) {
    throw new GsdError('SPEC_AMBIGUOUS', `${quote(text)} names a folder or archive, and those have no refs`, {
      hint: `for a repository write git+${text}; for a "#" in a name write %23`,
    })
  }
  return specFromPath(path, path.endsWith('/'))
}

/** A path as a url that git and this program parse to the same path. */
const formatFileUrl = (path: string): string => `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`

const parseFilePath = (url: string, text: string): string => {
  const [, host = '', path = '', query] = SHAPE.exec(url) ?? []
  if (host !== '' && host.toLowerCase() !== 'localhost') throw networkPathError(text)
  if (query !== undefined || path === '') throw malformed(text)
  const plain = path
    .split('/')
    .map((segment) => parseSegment(segment, text))
    .join('/')
  if (plain.startsWith('//')) throw networkPathError(text)
  checkCharacters(plain)
  return plain
}

const parseSegment = (segment: string, text: string): string => {
  let plain
  try {
    plain = decodeURIComponent(segment)
  } catch {
    throw malformed(text)
  }
  if (plain === '.' || plain === '..' || /[\\/]/.test(plain)) {
    throw new GsdError('SPEC_REFUSED', `${quote(text)} has the segment ${quote(segment)} in its path`, {
      hint: 'write the path that it points to',
    })
  }
  return plain
}

const malformed = (text: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)} is not a file url`, {
    hint: 'write file:///abs/dir, or the path alone; "%", "?" and "#" as %25, %3F, %23',
  })
