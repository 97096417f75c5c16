import type { ScopeName } from '../diagnostic.ts'
import { consentKey, fileMark, type ConsentRecord, type Consents } from './consent.ts'

/** What a consent is asked for. */
export interface ConsentQuestion {
  readonly scope: ScopeName
  /** Real path of the project; null for the global scope. */
  readonly project: string | null
  readonly id: string
  readonly digest: string
  readonly surfaces: string
}

export type ConsentAnswer =
  | { readonly kind: 'granted'; readonly record: ConsentRecord }
  /** Agreed to here once, for other content. */
  | { readonly kind: 'changed'; readonly record: ConsentRecord }
  /** The very same content was agreed to in other projects; one whose folder is gone was moved here. */
  | { readonly kind: 'elsewhere'; readonly records: readonly ConsentRecord[] }
  | { readonly kind: 'never' }

/** Looks a capability up in the consent store. Digest and surfaces must both be those that were agreed to. */
export const findConsent = (consents: Consents, question: ConsentQuestion): ConsentAnswer => {
  const record = consents.grants.get(consentKey(question.scope, question.project, question.id))
  if (record !== undefined) return { kind: isSame(record, question) ? 'granted' : 'changed', record }
  const records = [...consents.grants.values()].filter(
    (other) => other.scope === 'project' && other.id === question.id && isSame(other, question),
  )
  return question.scope === 'project' && records.length > 0 ? { kind: 'elsewhere', records } : { kind: 'never' }
}

const isSame = (record: ConsentRecord, { digest, surfaces }: ConsentQuestion): boolean =>
  record.digest === digest && record.surfaces === surfaces

/** Paths that are new, gone or other than when consent was given, sorted. */
export const changedSince = (
  record: ConsentRecord,
  files: readonly { readonly path: string; readonly sha512: string; readonly executable: boolean }[],
): string[] => {
  const before = new Map(Object.entries(record.files))
  const now = new Map(files.map((file) => [file.path, fileMark(file)]))
  return [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path)).sort()
}
