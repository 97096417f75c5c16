import { RESERVED_FAMILIES } from '../rules/programs.ts'
import { isSecret } from '../secret.ts'
import { eachObject, objectOf, type Relation, type Relations } from './relation.ts'

const reserved: ReadonlySet<unknown> = new Set(RESERVED_FAMILIES)

/** Rule 24: a family never takes over a word of the program. */
const familyIsFree: Relation = ({ commands }, findings) =>
  eachObject(commands, ({ family }, index) => {
    if (reserved.has(family)) findings.at(['commands', index, 'family'], 'MANIFEST_COMMAND_FAMILY_RESERVED', family)
  })

/** Rule 24: one module answers for a family. */
const familyOnce: Relation = ({ commands }, findings) => {
  const seen = new Set<unknown>()
  eachObject(commands, ({ family }, index) => {
    if (seen.has(family)) findings.at(['commands', index, 'family'], 'MANIFEST_COMMAND_FAMILY_DUPLICATE', family)
    if (typeof family === 'string') seen.add(family)
  })
}

/** Rule 25: what a bundle holds is read by everybody. */
const noSecretsInClear: Relation = ({ mcpServers }, findings) => {
  for (const [name, server] of Object.entries(objectOf(mcpServers))) {
    for (const member of ['env', 'headers'] as const) {
      for (const [key, value] of Object.entries(objectOf(objectOf(server)[member]))) {
        if (typeof value !== 'string' || !isSecret(key, value)) continue
        // The value itself is never shown.
        findings.at(['mcpServers', name, member, key], 'MANIFEST_MCP_SECRET', undefined)
      }
    }
  }
}

export const PROGRAM_RELATIONS: Relations = [
  ['commands', familyIsFree],
  ['commands', familyOnce],
  ['mcpServers', noSecretsInClear],
]
