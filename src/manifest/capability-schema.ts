import { ROLES } from './schema/envelope.ts'
import { MANIFEST_SHAPES } from './schema/roles.ts'
import { conditional, withMember, type JsonSchema, type JsonSchemaObject } from './shapes/json-schema.ts'
import { describeRule } from './shapes/leaf-shapes.ts'

/**
 * JSON Schema 2020-12 of `capability.json`, built from the shapes that check manifests. The role decides which of the
 * three definitions applies. Relations between members are not part of it.
 */
export const capabilitySchema = (): JsonSchemaObject => {
  const shared = new SharedParts()
  const roles = ROLES.map((role): [string, JsonSchema] => [role, MANIFEST_SHAPES[role].schema()])
  for (const [, schema] of roles) shared.count(schema)
  const definitions = roles.map(([role, schema]): [string, JsonSchema] => [role, shared.inline(schema)])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'GSD capability manifest',
    description: 'What a capability contains and where it attaches: one capability.json for each capability.',
    type: 'object',
    required: ['role'],
    properties: { role: { ...describeRule('MANIFEST_ROLE'), enum: ROLES } },
    allOf: ROLES.map((role) => conditional(withMember('role', role), { $ref: `#/$defs/${role}` })),
    $defs: { ...Object.fromEntries(definitions), ...shared.definitions },
  }
}

/** Parts of the schema that are one object in memory and stand in several places become definitions of their own. */
class SharedParts {
  readonly definitions: Record<string, JsonSchema> = {}
  readonly #uses = new Map<object, number>()
  readonly #names = new Map<object, string>()

  count(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    const uses = (this.#uses.get(part) ?? 0) + 1
    this.#uses.set(part, uses)
    if (uses === 1) for (const value of Object.values(part)) this.count(value)
  }

  /** The schema with its shared parts replaced by references. `name` is the member under which it stands. */
  inline(schema: JsonSchema, name = ''): JsonSchema {
    return typeof schema === 'boolean' ? schema : (this.#part(schema, name) as JsonSchema)
  }

  #part(part: unknown, name: string): unknown {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map((item) => this.#part(item, name))
    if ('description' in part && (this.#uses.get(part) ?? 0) > 1)
      return { $ref: `#/$defs/${this.#defined(part, name)}` }
    return this.#members(part, name)
  }

  #members(part: object, name: string): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, this.#part(value, KEYWORDS_WITH_PARTS.has(key) ? name : key)]),
    )
  }

  #defined(part: object, name: string): string {
    const known = this.#names.get(part)
    if (known !== undefined) return known
    let free = name
    for (let i = 2; free in this.definitions || free === '' || ROLE_NAMES.has(free); i++) free = `${name}-${i}`
    this.#names.set(part, free)
    this.definitions[free] = true
    this.definitions[free] = this.#members(part, name) as JsonSchema
    return free
  }
}

const KEYWORDS_WITH_PARTS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'properties',
  'allOf',
  'anyOf',
])
const ROLE_NAMES: ReadonlySet<string> = new Set(ROLES)
