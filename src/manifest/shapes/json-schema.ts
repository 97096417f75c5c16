/** The part of JSON Schema 2020-12 that the schema of manifests uses. */
export type JsonSchema = boolean | JsonSchemaObject

export interface JsonSchemaObject {
  readonly $schema?: string
  readonly $id?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly contains?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema
  readonly required?: readonly string[]
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly if?: JsonSchema
  readonly then?: JsonSchema
  readonly else?: JsonSchema
}

/** If, then and else. */
export const conditional = (condition: JsonSchema, consequence: JsonSchema, otherwise?: JsonSchema): JsonSchemaObject =>
  Object.fromEntries([
    ['if', condition],
    [CONSEQUENCE, consequence],
    ...(otherwise === undefined ? [] : [['else', otherwise] as const]),
  ])

/** An object that has a member, with a given value or any. */
export const withMember = (member: string, value?: unknown): JsonSchemaObject => ({
  type: 'object',
  required: [member],
  properties: { [member]: value === undefined ? true : { const: value } },
})

/** Not written as a member, so that `await` never calls it. */
const CONSEQUENCE = 'then'

/** Adds keywords to a schema that may be a plain boolean. */
export const refine = (schema: JsonSchema, more: JsonSchemaObject): JsonSchema =>
  typeof schema === 'boolean' ? (schema ? more : schema) : { ...schema, ...more }
