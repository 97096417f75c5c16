import { join } from 'node:path'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts'
import { LIMITS } from './limits.ts'
import { toReadError } from './read-errors.ts'

/** What a folder leaves out of its bundle, and the file that says so; null where there is none. */
export interface LeftOut {
  readonly file: string | null
  readonly isLeftOut: IgnoreRules
}

/** Files that npm never packs either: of version control, editors and npm, which may hold tokens. */
const NEVER_PACKED = parseIgnoreRules(
  ['.svn', '.hg', 'CVS', '.npmrc', '.gitignore', '.npmignore', '.gsdignore', '._*', '.*.swp', '*.orig'].join('\n'),
)

/** `.gsdignore` at the root of a bundle, or `.gitignore` where there is none (contract, "Specs"). Throws FETCH_*. */
export const readLeftOut = (dir: string, disk: Disk): LeftOut => {
  for (const file of ['.gsdignore', '.gitignore']) {
    const text = readIfFile(join(dir, file), disk)
    if (text === null) continue
    const rules = parseIgnoreRules(text)
    return { file, isLeftOut: (path, isFolder) => NEVER_PACKED(path, isFolder) || rules(path, isFolder) }
  }
  return { file: null, isLeftOut: NEVER_PACKED }
}

const readIfFile = (path: string, disk: Disk): string | null => {
  try {
    const stats = disk.lstatSync(path)
    return stats.isFile() && stats.size <= LIMITS.manifest ? disk.readFileSync(path).toString('utf8') : null
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw toReadError(error, path)
  }
}

/** Says what an ignore file left out. */
export const leftOutNotes = ({ file }: LeftOut, paths: readonly string[]): readonly string[] => {
  if (file === null || paths.length === 0) return []
  const shown = paths.slice(0, 5).map(quote).join(', ')
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : ''
  const instead = file === '.gitignore' ? '; a .gsdignore beside it replaces it' : ''
  return [`${quote(file)} leaves out ${shown}${more}${instead}`]
}

const SUSPECT = parseIgnoreRules(
  [
    '.env',
    '.env.*',
    '!.env.example',
    '*.pem',
    '*.key',
    '*.p12',
    '*.pfx',
    'id_rsa',
    'id_ecdsa',
    'id_ed25519',
    '.netrc',
    'credentials.json',
    '*.tgz',
    '*.tar',
    '*.tar.gz',
    '*.zip',
    '.vscode',
    '.idea',
    '*~',
    '*.swp',
    '*.bak',
  ].join('\n'),
)

/** Files that are in a bundle and hardly meant to be: secrets, archives, files of editors. */
export const suspectFiles = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => {
    const names = path.split('/')
    return names.some((_, at) => SUSPECT(names.slice(0, at + 1).join('/'), at + 1 < names.length))
  })
