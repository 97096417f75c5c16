import { CENTRAL_KEY_PATTERNS } from '../../manifest/central-keys.ts'
import type { Registry } from '../../registry/registry.ts'
import { type DeclaredKey, declaredKeys } from './declared-key.ts'
import { namesOf } from './value-type.ts'

/** A JSON Schema of draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>

interface Node {
  own: Schema | null
  readonly members: Map<string, Node>
}

/**
 * The JSON Schema of a project's configuration: the central keys and those of every capability of the registry. Both
 * forms of a key are described, member by member and as one dotted member; members that nobody declares are allowed.
 */
export const federatedSchema = (registry: Pick<Registry, 'configKeys'>): Schema => {
  const keys = declaredKeys(registry)
  const root: Node = { own: null, members: new Map() }
  for (const key of keys) nodeAt(root, key.key).own = schemaOf(key)
  const dotted = keys.filter(({ key }) => key.includes('.')).map((key) => [key.key, schemaOf(key)] as const)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of a GSD project',
    type: 'object',
    properties: { ...membersSchema(root), ...Object.fromEntries(dotted) },
    patternProperties: Object.fromEntries(
      CENTRAL_KEY_PATTERNS.map((pattern) => [pattern.source, { description: 'a key of a family of central keys' }]),
    ),
  }
}

const nodeAt = (root: Node, key: string): Node => {
  let node = root
  for (const part of key.split('.')) {
    const next: Node = node.members.get(part) ?? { own: null, members: new Map() }
    node.members.set(part, next)
    node = next
  }
  return node
}

const membersSchema = ({ members }: Node): Schema =>
  Object.fromEntries(
    [...members].map(([name, node]): [string, Schema] => {
      if (node.members.size === 0) return [name, node.own ?? {}]
      return [name, { ...(node.own ?? { type: 'object' }), properties: membersSchema(node) }]
    }),
  )

const schemaOf = ({ type, values, default: standard, description, owner }: DeclaredKey): Schema => {
  const forms = namesOf(type).map((name) => FORMS[name]?.(values) ?? {})
  return {
    ...(forms.length === 1 ? forms[0] : { anyOf: forms }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(description === undefined ? {} : { description }),
    ...(owner === null ? {} : { 'x-owner': owner }),
  }
}

const FORMS: Readonly<Record<string, (values?: readonly string[]) => Schema>> = {
  boolean: () => ({ type: 'boolean' }),
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  enum: (values) => (values === undefined ? { type: 'string' } : { enum: values }),
  object: () => ({ type: 'object' }),
  null: () => ({ type: 'null' }),
  'string[]': () => ({ type: 'array', items: { type: 'string' } }),
  'object[]': () => ({ type: 'array', items: { type: 'object' } }),
}
