import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { pointerTo } from '../manifest/pointer.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { shellWord } from '../shell-word.ts'
import { isCatalogName } from '../spec/catalog-form.ts'
import { readHost } from '../spec/host-name.ts'
import {
  isJsonObject,
  memberWarning,
  ownMember,
  readConfigFile,
  type ConfigFile,
  type JsonObject,
  type ReadConfigFile,
} from './config-file.ts'
import { newerSchema } from './config-schema.ts'

/** How a private host is asked: a header line as it stands, or the name of a variable that holds one. */
export type AuthSource =
  | { readonly kind: 'header'; readonly header: string }
  | { readonly kind: 'env'; readonly variable: string }

/** `~/.gsd/config.json`. Catalogs and auth come from nowhere else. */
export interface UserConfig {
  readonly file: ConfigFile
  /** Name → url or path of the catalog. */
  readonly catalogs: ReadonlyMap<string, string>
  /** Host, lower case, with a port or for all of them → what to send it. */
  readonly auth: ReadonlyMap<string, AuthSource>
  /** Configuration values for every project that does not set its own. */
  readonly defaults: JsonObject
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the user's configuration, leaving out what is malformed, with a warning each. Never throws. */
export const readUserConfig = (path: string): UserConfig => {
  const file = readConfigFile(path, { name: "user's configuration", code: 'STATE_UNREADABLE' })
  if (file.state !== 'ok') return { ...EMPTY, file, diagnostics: file.state === 'unreadable' ? [file.diagnostic] : [] }
  const newer = newerSchema(file)
  if (newer !== null)
    return { ...EMPTY, file: { state: 'unreadable', file: path, diagnostic: newer }, diagnostics: [newer] }
  const diagnostics: Diagnostic[] = []
  const catalogs = readMap(file, 'catalogs', catalogOf, diagnostics)
  const auth = readMap(file, 'auth', authOf, diagnostics)
  const { defaults, found } = defaultsOf(file)
  return {
    file,
    catalogs,
    auth,
    defaults,
    diagnostics: [...unknownMembers(file), ...diagnostics, ...found, ...openToOthers(file, auth)],
  }
}

const EMPTY = { catalogs: new Map<string, string>(), auth: new Map<string, AuthSource>(), defaults: {} }
const MEMBERS = ['schema', 'catalogs', 'auth', 'defaults']

/** One entry as it is used, or the words for what is wrong with it. */
type Read<T> = (name: string, value: unknown) => { readonly key: string; readonly value: T } | string

const readMap = <T>(
  file: ReadConfigFile,
  member: string,
  read: Read<T>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, T> => {
  const value = ownMember(file.root, member)
  const entries = new Map<string, T>()
  if (value === undefined) return entries
  if (!isJsonObject(value)) {
    diagnostics.push(memberWarning(file, `/${member}`, `${quote(member)} is not an object`, SHAPES))
    return entries
  }
  for (const [name, entry] of Object.entries(value)) {
    const result = read(name, entry)
    if (typeof result !== 'string') entries.set(result.key, result.value)
    else
      diagnostics.push(memberWarning(file, pointerTo(`/${member}`, name), `${member} ${quote(name)} ${result}`, SHAPES))
  }
  return entries
}

const SHAPES =
  'write {"schema":1,"catalogs":{"<name>":"<url>"},"auth":{"<host>":{"env":"<variable>"}},"defaults":{"<key>":<value>}}'

const catalogOf: Read<string> = (name, value) => {
  if (!isCatalogName(name)) return 'is not a name for a catalog: lower-case words with dashes, and no version'
  return typeof value === 'string' && value.trim() !== '' ? { key: name, value } : 'is not the url or path of a catalog'
}

const authOf: Read<AuthSource> = (name, value) => {
  const host = hostOf(name)
  if (host === null) return 'is not a host name'
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return 'is neither {"header": …} nor {"env": …}'
  const header = ownMember(value, 'header')
  const variable = ownMember(value, 'env')
  if (typeof header === 'string' && HEADER.test(header)) return { key: host, value: { kind: 'header', header } }
  if (typeof variable === 'string' && VARIABLE.test(variable)) return { key: host, value: { kind: 'env', variable } }
  return 'has neither a header line such as "Authorization: Bearer …" nor the name of a variable'
}

const HEADER = /^[A-Za-z0-9-]+: *[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A host, or one port of it. */
const hostOf = (name: string): string | null => {
  const [, host = name, port] = /^(.*?)(:\d{1,5})?$/s.exec(name) ?? []
  try {
    return `${readHost(host, name)}${port ?? ''}`
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

const defaultsOf = (file: ReadConfigFile): { readonly defaults: JsonObject; readonly found: readonly Diagnostic[] } => {
  const value = ownMember(file.root, 'defaults') ?? {}
  if (isJsonObject(value)) return { defaults: value, found: [] }
  return { defaults: {}, found: [memberWarning(file, '/defaults', '"defaults" is not an object', SHAPES)] }
}

const unknownMembers = (file: ReadConfigFile): readonly Diagnostic[] =>
  Object.keys(file.root)
    .filter((key) => !MEMBERS.includes(key))
    .map((key) => {
      const near = nearestWord(key, MEMBERS)
      return memberWarning(
        file,
        pointerTo('', key),
        `${quote(key)} is unknown`,
        near === null ? SHAPES : `did you mean ${quote(near)}?`,
      )
    })

const openToOthers = (file: ReadConfigFile, auth: ReadonlyMap<string, AuthSource>): readonly Diagnostic[] => {
  const secret = [...auth.values()].some(({ kind }) => kind === 'header')
  if (!secret || (file.stats.mode & 0o077) === 0) return []
  return [
    diagnostic('warning', 'STATE_CONFIG_INVALID', `${quote(file.file)} holds a secret and can be read by others`, {
      file: file.file,
      hint: `chmod 600 ${shellWord(file.file)}`,
    }),
  ]
}
