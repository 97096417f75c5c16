import { quote } from '../redact.ts'

/** The part of JSON Schema that the tools are described with. */
export type Schema =
  | {
      readonly type: 'string'
      readonly description?: string
      readonly enum?: readonly string[]
      readonly maxLength?: number
    }
  | { readonly type: 'integer'; readonly description?: string; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'number' | 'boolean'; readonly description?: string }
  | { readonly type: readonly ['string' | 'integer', 'null']; readonly description?: string }
  | { readonly type: 'array'; readonly description?: string; readonly items: Schema; readonly maxItems?: number }
  | ObjectSchema

export interface ObjectSchema {
  readonly type: 'object'
  readonly description?: string
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties: boolean
}

/** Why a value does not fit a schema, in words; null when it does. */
export const schemaFault = (schema: Schema, value: unknown, name: string): string | null => {
  if (Array.isArray(schema.type)) return value === null ? null : typeFault(schema.type[0], value, name)
  const fault = typeFault(schema.type as string, value, name)
  if (fault !== null) return fault
  switch (schema.type) {
    case 'string':
      return textFault(schema, String(value), name)
    case 'integer':
      return rangeFault(schema, Number(value), name)
    case 'array':
      return itemFault(schema, value as readonly unknown[], name)
    case 'object':
      return memberFault(schema, value as Readonly<Record<string, unknown>>, name)
    case 'boolean':
    case 'number':
  }
  return null
}

const IS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

const typeFault = (type: string, value: unknown, name: string): string | null =>
  IS_TYPE[type]?.(value) === true ? null : `${name} is ${quote(value)}, not of type ${type}`

const textFault = (schema: Extract<Schema, { type: 'string' }>, value: string, name: string): string | null => {
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${name} is ${quote(value)}, not one of ${schema.enum.join(', ')}`
  const longest = schema.maxLength ?? Infinity
  return value.length > longest ? `${name} is longer than ${longest} characters` : null
}

const rangeFault = (schema: Extract<Schema, { type: 'integer' }>, value: number, name: string): string | null => {
  const { minimum = -Infinity, maximum = Infinity } = schema
  return value < minimum || value > maximum ? `${name} is ${value}, not from ${minimum} to ${maximum}` : null
}

const itemFault = (
  schema: Extract<Schema, { type: 'array' }>,
  values: readonly unknown[],
  name: string,
): string | null => {
  if (values.length > (schema.maxItems ?? Infinity)) return `${name} has more than ${schema.maxItems} items`
  for (const [at, value] of values.entries()) {
    const fault = schemaFault(schema.items, value, `${name}[${at}]`)
    if (fault !== null) return fault
  }
  return null
}

const memberFault = (schema: ObjectSchema, value: Readonly<Record<string, unknown>>, name: string): string | null => {
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key))
  if (missing !== undefined) return `${name} lacks ${quote(missing)}`
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    if (known === undefined && !schema.additionalProperties)
      return `${name} has the unknown member ${quote(key)}; there are ${Object.keys(schema.properties).join(', ') || 'none'}`
    const fault = known === undefined ? null : schemaFault(known, member, key)
    if (fault !== null) return fault
  }
  return null
}
