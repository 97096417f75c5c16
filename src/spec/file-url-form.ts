import { resolve } from 'node:path/posix'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { TypedUrl } from './form.ts'
import { parseFragment } from './git-fragment.ts'
import { pathSpec } from './path-form.ts'
import { checkCharacters, networkPath } from './spec-text.ts'
import type { Spec } from './spec.ts'

const SHAPE = /^file:\/\/([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/i

/**
 * `file:///…`: a repository when it ends in `.git` or `git+` says so, an archive when it ends as one, else a folder. A
 * host other than this machine is refused.
 */
export const fileUrlForm = ({ url, fragment, text }: TypedUrl, forcedGit: boolean): Spec => {
  const path = readFilePath(url, text)
  if (forcedGit || /[^/]\.git\/?$/.test(path))
    return { kind: 'git', url: fileUrl(resolve(path)), ...parseFragment(fragment) }
  if (fragment !== null) {
    throw new GsdError('SPEC_AMBIGUOUS', `${quote(text)} names a folder or archive, and those have no refs`, {
      hint: `for a repository write git+${text}; for a "#" in a name write %23`,
    })
  }
  return pathSpec(path, path.endsWith('/'))
}

/** A path as a url that git and this program read back to the same path. */
const fileUrl = (path: string): string => `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`

const readFilePath = (url: string, text: string): string => {
  const [, host = '', path = '', query] = SHAPE.exec(url) ?? []
  if (host !== '' && host.toLowerCase() !== 'localhost') throw networkPath(text)
  if (query !== undefined || path === '') throw malformed(text)
  const plain = path
    .split('/')
    .map((segment) => readSegment(segment, text))
    .join('/')
  if (plain.startsWith('//')) throw networkPath(text)
  checkCharacters(plain)
  return plain
}

const readSegment = (segment: string, text: string): string => {
  let plain
  try {
    plain = decodeURIComponent(segment)
  } catch {
    throw malformed(text)
  }
  if (plain === '.' || plain === '..' || /[\\/]/.test(plain)) {
    throw new GsdError('SPEC_REFUSED', `${quote(text)} has the segment ${quote(segment)} in its path`, {
      hint: 'write the path that it leads to',
    })
  }
  return plain
}

const malformed = (text: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)} is not a file url`, {
    hint: 'write file:///abs/dir, or the path alone; "%", "?" and "#" as %25, %3F, %23',
  })
