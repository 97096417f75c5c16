import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isCatalogName } from '../../spec/catalog-spec.ts'
import { parseHost } from '../../spec/url-authority.ts'

/** Which sources an administrator, a user or a project allows. A source must pass every list. */
export interface Policy {
  /** The lists that exist; without any, everything is allowed. */
  readonly lists: readonly PolicyList[]
}

/** One list and its origin. */
export interface PolicyList {
  readonly origin: 'project' | 'user' | 'machine'
  readonly file: string
  readonly rule: PolicyRule
}

export type PolicyRule =
  /** Only these; an empty list allows nothing. */
  | { readonly kind: 'only'; readonly entries: readonly PolicyEntry[] }
  /** The list cannot be read, so nothing is allowed. */
  | { readonly kind: 'refuse-all'; readonly because: Diagnostic }

export type PolicyEntry =
  /** This host and its subdomains; lower case, international names in ASCII. */
  | { readonly kind: 'host'; readonly host: string }
  /** Packages of the registry; of one scope (`@org`), or all of them. */
  | { readonly kind: 'npm'; readonly scope: string | null }
  | { readonly kind: 'catalog'; readonly name: string }
  /** Any other text; it allows nothing. */
  | { readonly kind: 'unknown'; readonly text: string }

/** What a policy allows or refuses. `catalog`: the catalog that named it, or null. */
export type Contact =
  /** A host to contact, lower case, without port. */
  | { readonly kind: 'host'; readonly host: string; readonly catalog: string | null }
  /** A package of the registry that the user's npm uses. */
  | { readonly kind: 'npm'; readonly name: string; readonly catalog: string | null }

/** Parses one entry of a list: `npm`, `npm:@scope`, `catalog:<name>`, or a host. */
export const parsePolicyEntry = (text: string): PolicyEntry => {
  if (text === 'npm') return { kind: 'npm', scope: null }
  const [, prefix, rest = ''] = /^(npm|catalog):(.*)$/s.exec(text) ?? []
  if (prefix === 'npm')
    return /^@[A-Za-z0-9~][A-Za-z0-9._~-]*$/.test(rest) ? { kind: 'npm', scope: rest } : { kind: 'unknown', text }
  if (prefix === 'catalog') return isCatalogName(rest) ? { kind: 'catalog', name: rest } : { kind: 'unknown', text }
  try {
    return { kind: 'host', host: parseHost(text, text) }
  } catch (error) {
    if (error instanceof GsdError) return { kind: 'unknown', text }
    throw error
  }
}
