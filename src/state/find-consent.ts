import type { ScopeName } from '../diagnostic.ts'
import { consentKey, fileFingerprint, type ConsentRecord, type ConsentStore } from './consent-store.ts'

/** What a consent is asked for. */
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
  /** Agreed to here once, for other content. */
  | { readonly kind: 'changed'; readonly record: ConsentRecord }
  /** The very same content was agreed to in other projects; one whose folder is gone was moved here. */
  | { readonly kind: 'elsewhere'; readonly records: readonly ConsentRecord[] }
  | { readonly kind: 'never' }

/** Looks a capability up in the consent store. Digest and surfaces must both be those that were agreed to. */
export const findConsent = (consents: ConsentStore, question: ConsentQuery): ConsentMatch => {
  const record = consents.grants.get(consentKey(question.scope, question.project, question.id))
  if (record !== undefined) return { kind: hasSameContent(record, question) ? 'granted' : 'changed', record }
  const records = [...consents.grants.values()].filter(
    (other) => other.scope === 'project' && other.id === question.id && hasSameContent(other, question),
  )
  return question.scope === 'project' && records.length > 0 ? { kind: 'elsewhere', records } : { kind: 'never' }
}

const hasSameContent = (record: ConsentRecord, { digest, surfaces }: ConsentQuery): boolean =>
  record.digest === digest && record.surfaces === surfaces

/** Paths that are new, gone or other than when consent was given, sorted. */
export const changedSince = (
  record: ConsentRecord,
  files: readonly { readonly path: string; readonly sha512: string; readonly executable: boolean }[],
): string[] => {
  const before = new Map(Object.entries(record.files))
  const now = new Map(files.map((file) => [file.path, fileFingerprint(file)]))
  return [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path)).sort()
}
