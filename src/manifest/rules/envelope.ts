import type { RuleTable } from './rule.ts'

/** Rules 1–12. */
export const ENVELOPE_RULES = {
  MANIFEST_ID: {
    rule: 1,
    requirement:
      'lower-case letters and digits in words joined by single hyphens, starting with a letter, at most 64 characters',
    example: '"my-capability"',
  },
  MANIFEST_ID_DEVICE_NAME: {
    rule: 1,
    requirement: 'not a device name of Windows',
    message: ({ found }) => `the id ${found} is a device name on Windows, where no folder can have that name`,
    hint: ({ found }) => `add a word: ${found.slice(0, -1)}-tools"`,
  },
  MANIFEST_ID_FOLDER: {
    rule: 1,
    isWarning: true,
    requirement: 'the name of the folder',
    message: ({ found, detail }) => `the id is ${found}, but the name of the folder is ${detail}`,
    hint: 'give both the same name; an installed capability is in a folder named by its id',
  },
  MANIFEST_ROLE: { rule: 2, requirement: '"feature", "runtime" or "reviewer"', example: '"feature"' },
  MANIFEST_ROLE_UNKNOWN: {
    rule: 2,
    requirement: 'a role that this version knows',
    message: ({ found }) => `role must be "feature", "runtime" or "reviewer", not ${found}; a newer GSD may know it`,
    hint: 'correct the role, or install a newer version of GSD',
  },
  MANIFEST_VERSION: {
    rule: 3,
    requirement:
      'a version in strict SemVer 2.0 (three numbers up to 9007199254740991 joined by dots, without a "v" in front)',
    example: '"1.0.0"',
  },
  MANIFEST_TITLE: {
    rule: 4,
    requirement: 'a label of 1 to 120 characters, not only white space',
    example: '"My capability"',
  },
  MANIFEST_DESCRIPTION: {
    rule: 4,
    requirement: 'a text of 1 to 2,000 characters, not only white space',
    example: '"What it does, in one sentence."',
  },
  MANIFEST_TIER: { rule: 5, requirement: '"core", "standard" or "full"', example: '"full"' },
  MANIFEST_REQUIRES: {
    rule: 6,
    requirement: 'an array of capability ids; [] when it needs none',
    example: '[]',
    hint: 'list the ids it needs, such as ["research"], or write []',
  },
  MANIFEST_REQUIRES_ID: { rule: 6, requirement: 'the id of a capability', example: '"research"' },
  MANIFEST_REQUIRES_SELF: {
    rule: 6,
    requirement: 'other capabilities, never itself',
    message: ({ subject, found }) => `${subject} names the capability itself: ${found}`,
    hint: 'remove it',
  },
  MANIFEST_REQUIRES_DUPLICATE: {
    rule: 6,
    requirement: 'without repeated ids',
    message: ({ subject, found }) => `${subject} repeats ${found}`,
    hint: 'keep one of them',
  },
  MANIFEST_ENGINES: { rule: 7, requirement: 'an object', example: '{ "gsd": ">=1.6.0" }' },
  MANIFEST_ENGINES_RANGE: { rule: 7, requirement: 'a SemVer range', example: '">=1.6.0 <3.0.0"' },
  MANIFEST_COMPAT_VERSIONS: {
    rule: 8,
    requirement: 'an object from versions of this capability to the GSD versions they need',
    example: '{ "1.0.0": ">=1.6.0" }',
  },
  MANIFEST_COMPAT_VERSIONS_KEY: {
    rule: 8,
    requirement: 'keys that are versions in strict SemVer 2.0',
    message: ({ found }) => `compatVersions has the key ${found}, which is not a version in strict SemVer 2.0`,
    hint: 'write a version of this capability, such as "1.0.0"',
  },
  MANIFEST_COMPAT_VERSIONS_VALUE: {
    rule: 8,
    requirement: 'the lowest GSD version, or a SemVer range',
    example: '"1.6.0"',
  },
  MANIFEST_INTEGRITY: {
    rule: 9,
    requirement: '"sha512-" and 88 base64 characters (64 bytes)',
    hint: 'let "gsd capability pack <dir> --write-integrity" fill it in, or omit it',
  },
  MANIFEST_PROVENANCE: {
    rule: 10,
    requirement: 'an object with sourceRepo and commit',
    example: '{ "sourceRepo": "https://example.org/repo.git", "commit": "<sha>" }',
  },
  MANIFEST_PROVENANCE_SOURCE_REPO: {
    rule: 10,
    requirement: 'a non-empty string: where the source is',
    example: '"https://example.org/repo.git"',
  },
  MANIFEST_PROVENANCE_COMMIT: {
    rule: 10,
    requirement: 'a non-empty string: the commit it was built from',
    example: '"<sha>"',
  },
  MANIFEST_AUTHOR: { rule: 10, requirement: 'an object with a name', example: '{ "name": "Your Name" }' },
  MANIFEST_AUTHOR_NAME: { rule: 10, requirement: 'a non-empty string', example: '"Your Name"' },
  MANIFEST_AUTHOR_EMAIL: { rule: 10, requirement: 'a non-empty string', example: '"you@example.org"' },
  MANIFEST_AUTHOR_URL: { rule: 10, requirement: 'a non-empty string', example: '"https://example.org"' },
  MANIFEST_URL: {
    rule: 10,
    requirement: 'a complete URL that starts with https://, http://, git://, ssh:// or git+…://',
    example: '"https://example.org"',
  },
  MANIFEST_LICENSE: { rule: 10, requirement: 'an SPDX licence expression', example: '"MIT"' },
  MANIFEST_LICENSE_NOT_SPDX: {
    rule: 10,
    isWarning: true,
    requirement: 'an SPDX licence expression',
    message: ({ found }) => `license ${found} is not an SPDX expression`,
    hint: 'write for example "MIT" or "(MIT OR Apache-2.0)"',
  },
  MANIFEST_KEYWORDS: { rule: 10, requirement: 'an array of words', example: '["review"]' },
  MANIFEST_KEYWORD: { rule: 10, requirement: 'a non-empty string', example: '"review"' },
  MANIFEST_UNKNOWN_KEY: {
    rule: 11,
    isWarning: true,
    requirement: 'made of known keys; keys that start with "x-", and "$schema", are free',
    message: ({ parent, found }) => `${parent} has the unknown key ${found}`,
    hint: ({ detail }) =>
      detail === '' ? 'remove it, or start it with "x-" to keep it as a note' : `did you mean "${detail}"?`,
  },
  MANIFEST_UNKNOWN_KEY_REFUSED: {
    rule: 11,
    requirement: 'made of known keys only',
    message: ({ parent, found }) => `${parent} has the unknown key ${found}, and unknown keys are not allowed there`,
    hint: ({ detail }) => (detail === '' ? 'remove it' : `did you mean "${detail}"?`),
  },
  MANIFEST_ID_RESERVED: {
    rule: 12,
    requirement: 'without the prefixes gsd-, gsd-core- and anthropic-',
    message: ({ found }) => `the id ${found} starts with a prefix that is reserved for capabilities shipped with GSD`,
    hint: 'choose an id that does not start with "gsd-" or "anthropic-"',
  },
} as const satisfies RuleTable
