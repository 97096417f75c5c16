/** What a configuration key may hold. */
export interface ValueType {
  /** One type name, or several joined by `|`; `any` where the program does not know. */
  readonly type: string
  /** The permitted strings of an enum. */
  readonly values?: readonly string[]
}

/** A value that was judged by its type. */
export type Judged =
  | { readonly kind: 'fits'; readonly value: unknown }
  /** A boolean that was written as a string. */
  | { readonly kind: 'converted'; readonly value: boolean }
  | { readonly kind: 'wrong' }

/** Judges a value from a file. "true" and "false" count as booleans where only a boolean is due. */
export const judge = (value: unknown, type: ValueType): Judged => {
  if (fits(value, type)) return { kind: 'fits', value }
  if (type.type === 'boolean' && (value === 'true' || value === 'false'))
    return { kind: 'converted', value: value === 'true' }
  return { kind: 'wrong' }
}

/** Whether a value is of one of the types. */
export const fits = (value: unknown, { type, values }: ValueType): boolean =>
  namesOf(type).some((name) => (isTypeName(name) ? TESTS[name](value, values) : name === 'any'))

export const namesOf = (type: string): readonly string[] => type.split('|')

/** The type in words: `boolean`, `one of fast, slow`, `string or null`. */
export const describeType = ({ type, values }: ValueType): string =>
  namesOf(type)
    .map((name) => (name === 'enum' ? `one of ${(values ?? []).join(', ')}` : name))
    .join(' or ')

/** Whether a value counts as true for `when` and `activationKey`: false, null, 0, "" and absent do not. */
export const isTruthy = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== ''

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TESTS = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  enum: (value, values) => typeof value === 'string' && (values?.includes(value) ?? true),
  object: (value) => isObject(value),
  null: (value) => value === null,
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'object[]': (value) => Array.isArray(value) && value.every(isObject),
} as const satisfies Record<string, (value: unknown, values?: readonly string[]) => boolean>

type TypeName = keyof typeof TESTS

const isTypeName = (name: string): name is TypeName => Object.hasOwn(TESTS, name)
