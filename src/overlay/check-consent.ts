import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { changedSince, type ConsentMatch, findConsent } from '../state/find-consent.ts'
import { consentSubject, type Grants } from '../state/grants.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { StateFile } from '../state/state-file.ts'
import type { BundleFacts } from './bundle-facts.ts'
import type { FoundFolder } from './discover.ts'
import type { LoadError } from './overlay.ts'

export interface CheckConsentOptions {
  readonly paths: ScopePaths
  readonly consents: StateFile<Grants>
  readonly factsOf: (dir: string, manifest: Manifest) => BundleFacts
  /** Whether a folder exists. */
  readonly exists: (folder: string) => boolean
}

/**
 * Null when the user agreed to exactly this overlay in exactly this project, else why it is inactive (security page,
 * "Disclosure and consent"). Until then nothing but its manifest is used.
 */
export const checkConsent = (
  { folder, dir }: Pick<FoundFolder, 'folder' | 'dir'>,
  manifest: Manifest,
  options: CheckConsentOptions,
): LoadError | null => {
  const { paths, consents } = options
  if (consents.state === 'unreadable')
    return inactiveError(
      options,
      folder,
      'CONSENT_MISSING',
      'the consent store cannot be read, so no capability in a project is trusted',
    )
  if (consents.state === 'absent' || !hasGrantFor(consents.value, manifest.id))
    return neverTrustedError(options, folder)
  const facts = options.factsOf(dir, manifest)
  const query = { ...consentSubject(paths), id: manifest.id, digest: facts.digest, surfaces: facts.surfaces }
  return consentError(findConsent(consents.value, query), folder, facts, options)
}

/** A bundle without any consent is not read. */
const hasGrantFor = ({ byKey }: Grants, id: string): boolean => [...byKey.values()].some((record) => record.id === id)

const consentError = (
  answer: ConsentMatch,
  id: string,
  facts: BundleFacts,
  options: CheckConsentOptions,
): LoadError | null => {
  switch (answer.kind) {
    case 'granted':
      return facts.unexpected.length === 0 ? null : changedError(options, id, facts.unexpected)
    case 'changed':
      return changedError(options, id, [...changedSince(answer.record, facts.files()).map(quote), ...facts.unexpected])
    case 'elsewhere': {
      const moved = answer.records.find((record) => record.project !== null && !options.exists(record.project))
      return moved === undefined
        ? neverTrustedError(options, id)
        : inactiveError(
            options,
            id,
            'CONSENT_MOVED',
            `project moved: you trusted it in ${quote(moved.project)}, which no longer exists`,
          )
    }
    case 'never':
      return neverTrustedError(options, id)
  }
}

type ScopeOption = Pick<CheckConsentOptions, 'paths'>

const MAX_LISTED_FILES = 5

const changedError = (from: ScopeOption, id: string, files: readonly string[]): LoadError => {
  const more = files.length > MAX_LISTED_FILES ? ` and ${files.length - MAX_LISTED_FILES} more` : ''
  const named = files.length === 0 ? 'what it runs' : `${files.slice(0, MAX_LISTED_FILES).join(', ')}${more}`
  return inactiveError(from, id, 'CONSENT_CHANGED', `changed since you trusted it: ${named}`)
}

const neverTrustedError = (from: ScopeOption, id: string): LoadError =>
  inactiveError(from, id, 'CONSENT_MISSING', 'never trusted here')

const inactiveError = ({ paths }: ScopeOption, id: string, code: LoadError['code'], reason: string): LoadError => ({
  code,
  status: 'inactive',
  reason,
  hint: `gsd capability trust grant ${id} --scope ${paths.scope}`,
})
