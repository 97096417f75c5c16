import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { consentSubject, type Consents } from '../store/consent.ts'
import { changedSince, type ConsentAnswer, findConsent } from '../store/find-consent.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { StoreFile } from '../store/store-file.ts'
import type { Found } from './discover.ts'
import type { Trouble } from './overlay.ts'
import type { TreeFacts } from './tree-facts.ts'

export interface ConsentCheckOptions {
  readonly places: ScopePlaces
  readonly consents: StoreFile<Consents>
  readonly factsOf: (dir: string, manifest: Manifest) => TreeFacts
  /** Whether a folder is still there. */
  readonly exists: (folder: string) => boolean
}

/**
 * Whether the user agreed to exactly this overlay in exactly this project (security page, "Disclosure and consent"): null,
 * or which of the three causes keeps it inactive. Nothing but its manifest is used before that.
 */
export const checkConsent = (
  { folder, dir }: Pick<Found, 'folder' | 'dir'>,
  manifest: Manifest,
  options: ConsentCheckOptions,
): Trouble | null => {
  const { places, consents } = options
  if (consents.state === 'unreadable')
    return inactive(
      options,
      folder,
      'CONSENT_MISSING',
      'the consent store cannot be read, so nothing in a project is trusted',
    )
  if (consents.state === 'absent' || !knows(consents.value, manifest.id)) return neverTrusted(options, folder)
  const facts = options.factsOf(dir, manifest)
  const question = { ...consentSubject(places), id: manifest.id, digest: facts.digest, surfaces: facts.surfaces }
  return troubleOf(findConsent(consents.value, question), folder, facts, options)
}

/** Nothing is read of a bundle that nobody ever agreed to. */
const knows = ({ grants }: Consents, id: string): boolean => [...grants.values()].some((record) => record.id === id)

const troubleOf = (
  answer: ConsentAnswer,
  id: string,
  facts: TreeFacts,
  options: ConsentCheckOptions,
): Trouble | null => {
  switch (answer.kind) {
    case 'granted':
      return facts.odd.length === 0 ? null : changed(options, id, facts.odd)
    case 'changed':
      return changed(options, id, [...changedSince(answer.record, facts.files()).map(quote), ...facts.odd])
    case 'elsewhere': {
      const left = answer.records.find((record) => record.project !== null && !options.exists(record.project))
      return left === undefined
        ? neverTrusted(options, id)
        : inactive(
            options,
            id,
            'CONSENT_MOVED',
            `project moved: you trusted it in ${quote(left.project)}, which is gone`,
          )
    }
    case 'never':
      return neverTrusted(options, id)
  }
}

type Asked = Pick<ConsentCheckOptions, 'places'>

const MOST_FILES = 5

const changed = (from: Asked, id: string, files: readonly string[]): Trouble => {
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''
  const named = files.length === 0 ? 'what it runs' : `${files.slice(0, MOST_FILES).join(', ')}${more}`
  return inactive(from, id, 'CONSENT_CHANGED', `changed since you trusted it: ${named}`)
}

const neverTrusted = (from: Asked, id: string): Trouble => inactive(from, id, 'CONSENT_MISSING', 'never trusted here')

const inactive = ({ places }: Asked, id: string, code: Trouble['code'], reason: string): Trouble => ({
  code,
  status: 'inactive',
  reason,
  hint: `gsd capability trust grant ${id} --scope ${places.scope}`,
})
