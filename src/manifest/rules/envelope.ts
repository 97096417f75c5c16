import type { RuleTable } from './rule.ts'

/** Rules 1–12. */
export const ENVELOPE_RULES = {
  MANIFEST_ID: {
    rule: 1,
    demands:
      'lower-case letters and digits in words joined by single hyphens, starting with a letter, at most 64 characters',
    example: '"my-capability"',
  },
  MANIFEST_ID_DEVICE_NAME: {
    rule: 1,
    demands: 'no device name of Windows',
    says: ({ shown }) => `the id ${shown} is a device name on Windows, where no folder can have it`,
    hint: ({ shown }) => `add a word: ${shown.slice(0, -1)}-tools"`,
  },
  MANIFEST_ID_FOLDER: {
    rule: 1,
    warns: true,
    demands: 'the name of the folder once installed',
    says: ({ shown, detail }) => `the id is ${shown}, but the folder is called ${detail}`,
    hint: 'give both the same name; when it is installed the folder takes the id',
  },
  MANIFEST_ROLE: { rule: 2, demands: '"feature", "runtime" or "reviewer"', example: '"feature"' },
  MANIFEST_ROLE_UNKNOWN: {
    rule: 2,
    demands: 'a role that this version knows',
    says: ({ shown }) => `role must be "feature", "runtime" or "reviewer", not ${shown}; a newer GSD may know it`,
    hint: 'mend the role, or install a newer version of GSD',
  },
  MANIFEST_VERSION: {
    rule: 3,
    demands: 'a version in strict SemVer 2.0 (three numbers up to 9007199254740991 with dots, no "v" in front)',
    example: '"1.0.0"',
  },
  MANIFEST_TITLE: { rule: 4, demands: 'a label of 1 to 120 characters, not only blanks', example: '"My capability"' },
  MANIFEST_DESCRIPTION: {
    rule: 4,
    demands: 'a text of 1 to 2,000 characters, not only blanks',
    example: '"What it does, in one sentence."',
  },
  MANIFEST_TIER: { rule: 5, demands: '"core", "standard" or "full"', example: '"full"' },
  MANIFEST_REQUIRES: {
    rule: 6,
    demands: 'an array of capability ids; [] when it needs none',
    example: '[]',
    hint: 'list the ids it needs, such as ["research"], or write []',
  },
  MANIFEST_REQUIRES_ID: { rule: 6, demands: 'the id of a capability', example: '"research"' },
  MANIFEST_REQUIRES_SELF: {
    rule: 6,
    demands: 'other capabilities, never itself',
    says: ({ subject, shown }) => `${subject} names the capability itself: ${shown}`,
    hint: 'take it out',
  },
  MANIFEST_REQUIRES_DUPLICATE: {
    rule: 6,
    demands: 'without repeated ids',
    says: ({ subject, shown }) => `${subject} repeats ${shown}`,
    hint: 'keep one of them',
  },
  MANIFEST_ENGINES: { rule: 7, demands: 'an object', example: '{ "gsd": ">=1.6.0" }' },
  MANIFEST_ENGINES_RANGE: { rule: 7, demands: 'a SemVer range', example: '">=1.6.0 <3.0.0"' },
  MANIFEST_COMPAT_VERSIONS: {
    rule: 8,
    demands: 'an object from versions of this capability to the GSD versions they need',
    example: '{ "1.0.0": ">=1.6.0" }',
  },
  MANIFEST_COMPAT_VERSIONS_KEY: {
    rule: 8,
    demands: 'keys that are versions in strict SemVer 2.0',
    says: ({ shown }) => `compatVersions has the key ${shown}, which is no version in strict SemVer 2.0`,
    hint: 'write a version of this capability, such as "1.0.0"',
  },
  MANIFEST_COMPAT_VERSIONS_VALUE: {
    rule: 8,
    demands: 'the lowest GSD version, or a SemVer range',
    example: '"1.6.0"',
  },
  MANIFEST_INTEGRITY: {
    rule: 9,
    demands: '"sha512-" and 88 base64 characters (64 bytes)',
    hint: 'let "gsd capability pack <dir> --write-integrity" fill it in, or leave it out',
  },
  MANIFEST_PROVENANCE: {
    rule: 10,
    demands: 'an object with sourceRepo and commit',
    example: '{ "sourceRepo": "https://example.org/repo.git", "commit": "<sha>" }',
  },
  MANIFEST_PROVENANCE_SOURCE_REPO: {
    rule: 10,
    demands: 'a non-empty string: where the source is',
    example: '"https://example.org/repo.git"',
  },
  MANIFEST_PROVENANCE_COMMIT: {
    rule: 10,
    demands: 'a non-empty string: the commit it was built from',
    example: '"<sha>"',
  },
  MANIFEST_AUTHOR: { rule: 10, demands: 'an object with a name', example: '{ "name": "Your Name" }' },
  MANIFEST_AUTHOR_NAME: { rule: 10, demands: 'a non-empty string', example: '"Your Name"' },
  MANIFEST_AUTHOR_EMAIL: { rule: 10, demands: 'a non-empty string', example: '"you@example.org"' },
  MANIFEST_AUTHOR_URL: { rule: 10, demands: 'a non-empty string', example: '"https://example.org"' },
  MANIFEST_URL: {
    rule: 10,
    demands: 'a complete URL that starts with https://, http://, git://, ssh:// or git+…://',
    example: '"https://example.org"',
  },
  MANIFEST_LICENSE: { rule: 10, demands: 'an SPDX licence expression', example: '"MIT"' },
  MANIFEST_LICENSE_NOT_SPDX: {
    rule: 10,
    warns: true,
    demands: 'an SPDX licence expression',
    says: ({ shown }) => `license ${shown} is not an SPDX expression`,
    hint: 'write for example "MIT" or "(MIT OR Apache-2.0)"',
  },
  MANIFEST_KEYWORDS: { rule: 10, demands: 'an array of words', example: '["review"]' },
  MANIFEST_KEYWORD: { rule: 10, demands: 'a non-empty string', example: '"review"' },
  MANIFEST_UNKNOWN_KEY: {
    rule: 11,
    warns: true,
    demands: 'made of known keys; keys that start with "x-", and "$schema", are free',
    says: ({ parent, shown }) => `${parent} has the unknown key ${shown}`,
    hint: ({ detail }) =>
      detail === '' ? 'take it out, or start it with "x-" to keep it as a note' : `did you mean "${detail}"?`,
  },
  MANIFEST_UNKNOWN_KEY_REFUSED: {
    rule: 11,
    demands: 'made of known keys only',
    says: ({ parent, shown }) => `${parent} has the unknown key ${shown}, and nothing unknown is allowed there`,
    hint: ({ detail }) => (detail === '' ? 'take it out' : `did you mean "${detail}"?`),
  },
  MANIFEST_ID_RESERVED: {
    rule: 12,
    demands: 'without the prefixes gsd-, gsd-core- and anthropic-',
    says: ({ shown }) => `the id ${shown} starts with a prefix that is reserved for capabilities shipped with GSD`,
    hint: 'choose an id that does not start with "gsd-" or "anthropic-"',
  },
} as const satisfies RuleTable
