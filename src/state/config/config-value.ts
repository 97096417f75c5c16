import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { isObject, ownMember, type UnknownRecord } from '../../manifest/json/object.ts'
import { quote } from '../../redact.ts'
import type { ProjectConfig } from './project-config.ts'
import type { UserConfig } from './user-config.ts'

/** What is known of a key: by the capability that declares it, or by the program. */
export interface DeclaredKey {
  /** One type, or several with `|` between them: boolean, string, number, enum, object, null, string[], object[]. */
  readonly type: string
  readonly default: unknown
  /** Of enums. */
  readonly values?: readonly string[]
}

/** The value of a key and who says so. */
export interface ConfigValue {
  /** Undefined only where nobody set it and nothing is declared. */
  readonly value: unknown
  readonly origin: 'project' | 'user' | 'default' | 'unset'
  /** Values of a wrong type that were passed over. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * A dotted key, through the layers: the project's configuration, the user's defaults, the declared default. `null` unsets
 * a key, and a value of a wrong type is passed over with a warning. An undeclared key has whatever value it has.
 */
export const configValue = (
  key: string,
  declared: DeclaredKey | null,
  { project, user }: { readonly project: ProjectConfig | null; readonly user: UserConfig | null },
): ConfigValue => {
  const diagnostics: Diagnostic[] = []
  const layers = [
    { origin: 'project', values: project?.values, file: project?.file.file },
    { origin: 'user', values: user?.defaults, file: user?.file.file },
  ] as const
  for (const { origin, values, file } of layers) {
    const value = values === undefined ? undefined : valueAt(values, key)
    if (value === undefined || value === null) continue
    if (declared === null || matchesType(declared, value)) return { value, origin, diagnostics }
    diagnostics.push(wrongType(key, declared, value, file ?? ''))
  }
  return declared === null
    ? { value: undefined, origin: 'unset', diagnostics }
    : { value: declared.default, origin: 'default', diagnostics }
}

/** A dotted key in a tree of objects, by own keys only: member by member, or else as one member with that whole name. */
export const valueAt = (values: UnknownRecord, key: string): unknown => {
  let at: unknown = values
  for (const part of key.split('.')) at = isObject(at) ? ownMember(at, part) : undefined
  return at === undefined ? ownMember(values, key) : at
}

/** Whether a value is of one of the declared types. */
const matchesType = ({ type, values }: DeclaredKey, value: unknown): boolean =>
  type
    .split('|')
    .some((name) => Object.hasOwn(TYPE_CHECKS, name) && TYPE_CHECKS[name as TypeName](value, values ?? null))

type TypeName = 'boolean' | 'string' | 'number' | 'enum' | 'object' | 'null' | 'string[]' | 'object[]'

const TYPE_CHECKS = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  enum: (value, values) => typeof value === 'string' && (values === null || values.includes(value)),
  object: (value) => isObject(value),
  null: (value) => value === null,
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'object[]': (value) => Array.isArray(value) && value.every((item) => isObject(item)),
} satisfies Record<TypeName, (value: unknown, values: readonly string[] | null) => boolean>

const wrongType = (key: string, { type, values }: DeclaredKey, value: unknown, file: string): Diagnostic => {
  const wanted = values === undefined ? type.replaceAll('|', ' or ') : `one of ${values.join(', ')}`
  return diagnostic(
    'warning',
    'STATE_CONFIG_INVALID',
    `${key} is ${quote(value)} in ${quote(file)}, where it must be ${wanted}`,
    {
      file,
      hint: `write ${wanted} for ${key}, or remove it`,
    },
  )
}
