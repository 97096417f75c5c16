import { conditional, type JsonSchemaObject } from './json-schema.ts'
import { described } from './leaf-shapes.ts'
import { ROLES } from './schema/envelope.ts'
import { MANIFESTS } from './schema/roles.ts'

/**
 * JSON Schema 2020-12 of `capability.json`, put together from the shapes by which manifests are judged. The role decides
 * which of the three definitions holds. What spans several members no schema can see; the program itself says that.
 */
export const capabilitySchema = (): JsonSchemaObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'GSD capability manifest',
  description: 'What a capability is, what it brings and where it attaches: one capability.json for each capability.',
  type: 'object',
  required: ['role'],
  properties: { role: { ...described('MANIFEST_ROLE'), enum: ROLES } },
  allOf: ROLES.map((role) =>
    conditional({ required: ['role'], properties: { role: { const: role } } }, { $ref: `#/$defs/${role}` }),
  ),
  $defs: Object.fromEntries(ROLES.map((role) => [role, MANIFESTS[role].schema])),
})
