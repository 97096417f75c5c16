import parse from 'semver/functions/parse.js'
import { isRange, MAX_VERSION_LENGTH } from '../../version-range.ts'
import { ID, MAX_ID_LENGTH, PROJECT_URL, SEMVER, SHA512 } from '../grammar.ts'
import { unconstrained, choice, text } from '../shapes/leaf-shapes.ts'
import { list, map, object, optional, required, type Members } from '../shapes/object-shapes.ts'

/** Whether a text is a version in strict SemVer 2.0 whose numbers a program can compare (rule 3). */
const isStrictVersion = (version: string): boolean =>
  version.length <= MAX_VERSION_LENGTH &&
  SEMVER.test(version) &&
  (!MANY_DIGITS.test(version) || parse(version) !== null)

/** A number with fewer digits is one that every program can compare. */
const MANY_DIGITS = /[0-9]{16}/

/** Rules 1–10, without the role. */
export const ENVELOPE = {
  $schema: optional(unconstrained('MANIFEST_UNKNOWN_KEY', 'address of the schema, for editors')),
  id: required(text('MANIFEST_ID', { pattern: ID, max: MAX_ID_LENGTH })),
  version: required(text('MANIFEST_VERSION', { pattern: SEMVER, test: isStrictVersion })),
  title: required(text('MANIFEST_TITLE', { nonBlank: true, max: 120 })),
  description: required(text('MANIFEST_DESCRIPTION', { nonBlank: true, max: 2000 })),
  tier: required(choice('MANIFEST_TIER', ['core', 'standard', 'full'])),
  requires: required(
    list('MANIFEST_REQUIRES', text('MANIFEST_REQUIRES_ID', { pattern: ID, max: MAX_ID_LENGTH }), { unique: true }),
  ),
  engines: optional(object('MANIFEST_ENGINES', { gsd: optional(text('MANIFEST_ENGINES_RANGE', { test: isRange })) })),
  compatVersions: optional(
    map(
      'MANIFEST_COMPAT_VERSIONS',
      { code: 'MANIFEST_COMPAT_VERSIONS_KEY', pattern: SEMVER },
      text('MANIFEST_COMPAT_VERSIONS_VALUE', { test: isRange }),
    ),
  ),
  integrity: optional(text('MANIFEST_INTEGRITY', { pattern: SHA512 })),
  provenance: optional(
    object('MANIFEST_PROVENANCE', {
      sourceRepo: required(text('MANIFEST_PROVENANCE_SOURCE_REPO', { nonBlank: true })),
      commit: required(text('MANIFEST_PROVENANCE_COMMIT', { nonBlank: true })),
    }),
  ),
  author: optional(
    object('MANIFEST_AUTHOR', {
      name: required(text('MANIFEST_AUTHOR_NAME', { nonBlank: true })),
      email: optional(text('MANIFEST_AUTHOR_EMAIL', { nonBlank: true })),
      url: optional(text('MANIFEST_AUTHOR_URL', { nonBlank: true })),
    }),
  ),
  homepage: optional(text('MANIFEST_URL', { pattern: PROJECT_URL, test: URL.canParse })),
  repository: optional(text('MANIFEST_URL', { pattern: PROJECT_URL, test: URL.canParse })),
  license: optional(text('MANIFEST_LICENSE', { nonBlank: true })),
  keywords: optional(list('MANIFEST_KEYWORDS', text('MANIFEST_KEYWORD', { nonBlank: true }))),
} as const satisfies Members

export const ROLES = ['feature', 'runtime', 'reviewer'] as const
