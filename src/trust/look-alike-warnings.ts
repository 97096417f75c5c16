import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { RESERVED_FAMILIES } from '../manifest/rules/programs.ts'
import { quote } from '../redact.ts'
import { findLookAlike, type LookAlike } from './look-alike.ts'

/**
 * Warns of names that could be confused with others: ids with those of first-party capabilities, command families with
 * existing families and the program's own commands, server names with first-party ids and the program itself.
 */
export const checkLookAlikes = (firstParty: readonly Manifest[], manifests: readonly Manifest[]): Diagnostic[] => {
  const ids = firstParty.map(({ id }) => id)
  const families = [...firstParty.flatMap(listFamilies), ...ids]
  return manifests
    .filter(({ id }) => !ids.includes(id))
    .flatMap((manifest) => {
      const servers = manifest.role === 'feature' ? Object.keys(manifest.mcpServers ?? {}) : []
      return [
        ...lookAlikeWarnings('the id', [manifest.id], ids, manifest.id),
        ...lookAlikeWarnings('the command family', listFamilies(manifest), families, manifest.id),
        ...lookAlikeWarnings('the MCP server', servers, [...ids, 'gsd'], manifest.id),
      ]
    })
}

const listFamilies = (manifest: Manifest): string[] =>
  'commands' in manifest ? (manifest.commands ?? []).map(({ family }) => family) : []

const lookAlikeWarnings = (
  what: string,
  names: readonly string[],
  known: readonly string[],
  id: string,
): Diagnostic[] =>
  names
    .filter((name) => !known.includes(name) || name === 'gsd')
    .flatMap((name) => {
      const found = name === 'gsd' ? OWN_NAME : (findLookAlike(name, known) ?? findOwnWordLookAlike(name))
      if (found === null) return []
      const text = `${what} ${quote(name)} could be confused with ${quote(found.resembles)}, which is part of the program: it ${found.reason}`
      return [
        diagnostic('warning', 'CONSENT_LOOK_ALIKE', text, { id, hint: 'make sure that this is the one you mean' }),
      ]
    })

const OWN_NAME: LookAlike = { resembles: 'gsd', reason: 'is its name' }

/** `mcp-notes` only says that it is about `mcp`. */
const findOwnWordLookAlike = (name: string): LookAlike | null => {
  const found = findLookAlike(name, RESERVED_FAMILIES)
  return found === null || name.startsWith(`${found.resembles}-`) || name.startsWith(`${found.resembles}_`)
    ? null
    : found
}
