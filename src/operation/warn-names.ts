import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { World } from '../overlay/world.ts'
import { quote } from '../redact.ts'
import { lookAlike } from '../trust/look-alike.ts'
import type { Prepared } from './prepare.ts'

/**
 * Warns of names that could be taken for somebody else's: ids for those of first-party capabilities and host runtimes,
 * command families for those there are, names of servers for ids of first-party capabilities.
 */
export const warnNames = ({ registry, input }: World, prepared: readonly Prepared[]): Diagnostic[] => {
  const ids = input.firstParty.map(({ manifest }) => manifest.id)
  const families = [...registry.commandFamilies]
    .filter(([, { owner }]) => ids.includes(owner))
    .map(([family]) => family)
  return prepared.flatMap(({ manifest }) => {
    const commands = 'commands' in manifest ? (manifest.commands ?? []).map(({ family }) => family) : []
    const servers = manifest.role === 'feature' ? Object.keys(manifest.mcpServers ?? {}) : []
    return [
      ...warnings('the id', [manifest.id], ids, manifest.id),
      ...warnings('the command family', commands, [...families, ...ids], manifest.id),
      ...warnings('the MCP server', servers, ids, manifest.id),
    ]
  })
}

const warnings = (what: string, names: readonly string[], known: readonly string[], id: string): Diagnostic[] =>
  names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const found = lookAlike(name, known)
      if (found === null) return []
      const text = `${what} ${quote(name)} could be taken for ${quote(found.of)}, which comes with the program: it ${found.how}`
      return [
        diagnostic('warning', 'CONSENT_LOOK_ALIKE', text, { id, hint: 'make sure that this is the one you mean' }),
      ]
    })
