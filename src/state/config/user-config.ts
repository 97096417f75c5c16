import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isObject, ownMember, type UnknownRecord } from '../../manifest/json/object.ts'
import { pointerTo } from '../../manifest/json/pointer.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'
import { isCatalogName } from '../../spec/catalog-spec.ts'
import { parseHost } from '../../spec/url-authority.ts'
import { checkSchema, type ConfigFile, type LoadedConfigFile, memberWarning, readConfigFile } from './config-file.ts'

/** The authentication of a private host: a header line, or the name of a variable that contains one. */
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
  readonly defaults: UnknownRecord
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the user's configuration, leaving out what is malformed, with a warning each. Never throws. */
export const readUserConfig = (path: string): UserConfig => {
  const file = readConfigFile(path, { name: "user's configuration", code: 'STATE_UNREADABLE' })
  if (file.state !== 'ok') return { ...EMPTY, file, diagnostics: file.state === 'unreadable' ? [file.diagnostic] : [] }
  const newer = checkSchema(file)
  if (newer !== null)
    return { ...EMPTY, file: { state: 'unreadable', file: path, diagnostic: newer }, diagnostics: [newer] }
  const diagnostics: Diagnostic[] = []
  const catalogs = parseMap(file, 'catalogs', parseCatalog, diagnostics)
  const auth = parseMap(file, 'auth', parseAuth, diagnostics)
  const { defaults, found } = parseDefaults(file)
  return {
    file,
    catalogs,
    auth,
    defaults,
    diagnostics: [...unknownMembers(file), ...diagnostics, ...found, ...warnReadableByOthers(file, auth)],
  }
}

const EMPTY = { catalogs: new Map<string, string>(), auth: new Map<string, AuthSource>(), defaults: {} }
const MEMBERS = ['schema', 'catalogs', 'auth', 'defaults']

/** One valid entry, or a message about its fault. */
type ParseEntry<T> = (name: string, value: unknown) => { readonly key: string; readonly value: T } | string

const parseMap = <T>(
  file: LoadedConfigFile,
  member: string,
  read: ParseEntry<T>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, T> => {
  const value = ownMember(file.root, member)
  const entries = new Map<string, T>()
  if (value === undefined) return entries
  if (!isObject(value)) {
    diagnostics.push(memberWarning(file, `/${member}`, `${quote(member)} is not an object`, SHAPE_HINT))
    return entries
  }
  for (const [name, entry] of Object.entries(value)) {
    const result = read(name, entry)
    if (typeof result !== 'string') entries.set(result.key, result.value)
    else
      diagnostics.push(
        memberWarning(file, pointerTo(`/${member}`, name), `${member} ${quote(name)} ${result}`, SHAPE_HINT),
      )
  }
  return entries
}

const SHAPE_HINT =
  'write {"schema":1,"catalogs":{"<name>":"<url>"},"auth":{"<host>":{"env":"<variable>"}},"defaults":{"<key>":<value>}}'

const parseCatalog: ParseEntry<string> = (name, value) => {
  if (!isCatalogName(name)) return 'is not a name for a catalog: lower-case words with dashes, and no version'
  return typeof value === 'string' && value.trim() !== '' ? { key: name, value } : 'is not the url or path of a catalog'
}

const parseAuth: ParseEntry<AuthSource> = (name, value) => {
  const host = parseHostKey(name)
  if (host === null) return 'is not a host name'
  if (!isObject(value) || Object.keys(value).length !== 1) return 'is neither {"header": …} nor {"env": …}'
  const header = ownMember(value, 'header')
  const variable = ownMember(value, 'env')
  if (typeof header === 'string' && HEADER.test(header)) return { key: host, value: { kind: 'header', header } }
  if (typeof variable === 'string' && VARIABLE.test(variable)) return { key: host, value: { kind: 'env', variable } }
  return 'has neither a header line such as "Authorization: Bearer …" nor the name of a variable'
}

const HEADER = /^[A-Za-z0-9-]+: *[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A host, or one port of it. */
const parseHostKey = (name: string): string | null => {
  const [, host = name, port] = /^(.*?)(:\d{1,5})?$/s.exec(name) ?? []
  try {
    return `${parseHost(host, name)}${port ?? ''}`
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

const parseDefaults = (
  file: LoadedConfigFile,
): { readonly defaults: UnknownRecord; readonly found: readonly Diagnostic[] } => {
  const value = ownMember(file.root, 'defaults') ?? {}
  if (isObject(value)) return { defaults: value, found: [] }
  return { defaults: {}, found: [memberWarning(file, '/defaults', '"defaults" is not an object', SHAPE_HINT)] }
}

const unknownMembers = (file: LoadedConfigFile): readonly Diagnostic[] =>
  Object.keys(file.root)
    .filter((key) => !MEMBERS.includes(key))
    .map((key) => {
      const near = nearestWord(key, MEMBERS)
      return memberWarning(
        file,
        pointerTo('', key),
        `${quote(key)} is unknown`,
        near === null ? SHAPE_HINT : `did you mean ${quote(near)}?`,
      )
    })

const warnReadableByOthers = (file: LoadedConfigFile, auth: ReadonlyMap<string, AuthSource>): readonly Diagnostic[] => {
  const secret = [...auth.values()].some(({ kind }) => kind === 'header')
  if (!secret || (file.stats.mode & 0o077) === 0) return []
  return [
    diagnostic('warning', 'STATE_CONFIG_INVALID', `${quote(file.file)} holds a secret and can be read by others`, {
      file: file.file,
      hint: `chmod 600 ${shellQuote(file.file)}`,
    }),
  ]
}
