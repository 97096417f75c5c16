import type { Diagnostic } from '../diagnostic.ts'

/** What an administrator, a user or a project lets in from outside. A source must pass every list. */
export interface Policy {
  /** Only lists that exist; none at all is permissive. */
  readonly lists: readonly PolicyList[]
}

/** One list, and whose it is. */
export interface PolicyList {
  readonly origin: 'project' | 'user' | 'machine'
  readonly file: string
  readonly rule: PolicyRule
}

export type PolicyRule =
  /** Only these; an empty list lets nothing in. */
  | { readonly kind: 'only'; readonly entries: readonly PolicyEntry[] }
  /** The list cannot be read, so nothing that it may forbid is let in. */
  | { readonly kind: 'refuse-all'; readonly because: Diagnostic }

export type PolicyEntry =
  /** This host and its subdomains. Lower case, international names in ASCII. */
  | { readonly kind: 'host'; readonly host: string }
  /** Packages of the registry; of one scope (`@org`), or all of them. */
  | { readonly kind: 'npm'; readonly scope: string | null }
  | { readonly kind: 'catalog'; readonly name: string }
  /** Text that is none of these; it lets nothing in. */
  | { readonly kind: 'unknown'; readonly text: string }

/** Whom policy is asked about. `catalog`: the catalog that led there, or null. */
export type Contact =
  /** A host that is about to be contacted, lower case, without its port. */
  | { readonly kind: 'host'; readonly host: string; readonly catalog: string | null }
  /** A package of the registry that the user's npm is set to. */
  | { readonly kind: 'npm'; readonly name: string; readonly catalog: string | null }
