import type { ScopeName } from '../diagnostic.ts'
import { consentKey, fileFingerprint, type ConsentRecord, type Grants } from './grants.ts'

/** What needs consent. */
export interface ConsentQuery {
  readonly scope: ScopeName
  /** Real path of the project; null for the global scope. */
  readonly project: string | null
  readonly id: string
  readonly digest: string
  readonly surfaces: string
}

export type ConsentMatch =
  | { readonly kind: 'granted'; readonly record: ConsentRecord }
  /** There is a consent in this scope, for other content. */
  | { readonly kind: 'changed'; readonly record: ConsentRecord }
  /** There are consents for the same content in other projects; if such a project no longer exists, it was moved here. */
  | { readonly kind: 'elsewhere'; readonly records: readonly ConsentRecord[] }
  | { readonly kind: 'never' }

/** Finds the consent for a capability. Both digest and surfaces must be the ones the user agreed to. */
export const findConsent = (consents: Grants, query: ConsentQuery): ConsentMatch => {
  const record = consents.byKey.get(consentKey(query.scope, query.project, query.id))
  if (record !== undefined) return { kind: hasSameContent(record, query) ? 'granted' : 'changed', record }
  const records = [...consents.byKey.values()].filter(
    (other) => other.scope === 'project' && other.id === query.id && hasSameContent(other, query),
  )
  return query.scope === 'project' && records.length > 0 ? { kind: 'elsewhere', records } : { kind: 'never' }
}

const hasSameContent = (record: ConsentRecord, { digest, surfaces }: ConsentQuery): boolean =>
  record.digest === digest && record.surfaces === surfaces

/** Paths that were added, removed or changed since consent was given, sorted. */
export const changedSince = (
  record: ConsentRecord,
  files: readonly { readonly path: string; readonly sha512: string; readonly executable: boolean }[],
): string[] => {
  const before = new Map(Object.entries(record.files))
  const now = new Map(files.map((file) => [file.path, fileFingerprint(file)]))
  return [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path)).sort()
}
