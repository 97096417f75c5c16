import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { RESERVED_FAMILIES } from '../../manifest/rules/programs.ts'
import { quote } from '../../redact.ts'
import { lookAlike, type LookAlike } from '../../trust/look-alike.ts'

/**
 * Warns of names that could be taken for somebody else's: ids for those of first-party capabilities and host runtimes,
 * command families for those there are and for the program's own words, names of servers for ids of first-party
 * capabilities and for the program.
 */
export const warnNames = (firstParty: readonly Manifest[], manifests: readonly Manifest[]): Diagnostic[] => {
  const ids = firstParty.map(({ id }) => id)
  const families = [...firstParty.flatMap(familiesOf), ...ids]
  return manifests
    .filter(({ id }) => !ids.includes(id))
    .flatMap((manifest) => {
      const servers = manifest.role === 'feature' ? Object.keys(manifest.mcpServers ?? {}) : []
      return [
        ...warnings('the id', [manifest.id], ids, manifest.id),
        ...warnings('the command family', familiesOf(manifest), families, manifest.id),
        ...warnings('the MCP server', servers, [...ids, 'gsd'], manifest.id),
      ]
    })
}

const familiesOf = (manifest: Manifest): string[] =>
  'commands' in manifest ? (manifest.commands ?? []).map(({ family }) => family) : []

const warnings = (what: string, names: readonly string[], known: readonly string[], id: string): Diagnostic[] =>
  names
    .filter((name) => !known.includes(name) || name === 'gsd')
    .flatMap((name) => {
      const found = name === 'gsd' ? OWN_NAME : (lookAlike(name, known) ?? likeOwnWord(name))
      if (found === null) return []
      const text = `${what} ${quote(name)} could be taken for ${quote(found.of)}, which comes with the program: it ${found.how}`
      return [
        diagnostic('warning', 'CONSENT_LOOK_ALIKE', text, { id, hint: 'make sure that this is the one you mean' }),
      ]
    })

const OWN_NAME: LookAlike = { of: 'gsd', how: 'is its name' }

/** A word behind one of the program's, as in `mcp-notes`, is only a description. */
const likeOwnWord = (name: string): LookAlike | null => {
  const found = lookAlike(name, RESERVED_FAMILIES)
  return found === null || name.startsWith(`${found.of}-`) || name.startsWith(`${found.of}_`) ? null : found
}
