import { resolve } from 'node:path/posix'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { checkCharacters } from './check-spec-text.ts'
import type { LocalSpec, SpecParser, TarballSpec } from './spec.ts'

/** `/abs`, `./x`, `../x`, `~/x`, `.`, `..`, `~`: a folder, or an archive by its extension. Bare names are archives only. */
export const parsePathSpec: SpecParser = (text, { cwd, home }) => {
  if (/^~[^/]/.test(text)) {
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} names another user's home`, {
      hint: 'write ~/dir for your own, or the whole path',
    })
  }
  const folder = /(?:^|\/)(?:\.{0,2}|~)$/.test(text)
  if (text === '~' || text.startsWith('~/')) return specFromPath(resolve(home, `.${text.slice(1)}`), folder)
  if (!/^(?:\/|\.{1,2}(?:\/|$))/.test(text) && !isBareArchive(text)) return null
  return specFromPath(resolve(cwd, text), folder)
}

/** `folder`: the text ends in a slash or in dots, so it is a folder whatever its name. */
export const specFromPath = (path: string, folder: boolean): LocalSpec | TarballSpec => {
  checkCharacters(path)
  const absolute = resolve(path)
  return !folder && isArchiveName(absolute)
    ? { kind: 'tarball', at: { kind: 'file', path: absolute } }
    : { kind: 'local', path: absolute }
}

/** `cap-1.0.0.tgz`, `dist/cap.tgz`, without a scheme or prefix. */
const isBareArchive = (text: string): boolean => isArchiveName(text) && !/^[a-z][a-z0-9+.-]*:/i.test(text)

/** Whether a path or file name has the extension of an archive. */
export const isArchiveName = (name: string): boolean => /[^/]\.(?:tgz|tar\.gz)$/i.test(name)
