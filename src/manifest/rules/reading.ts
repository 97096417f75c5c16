import type { RuleTable } from './rule.ts'

/** Reading: bytes → text → value. */
export const READING_RULES = {
  MANIFEST_TOO_LARGE: {
    rule: 0,
    requirement: 'at most 1 MiB',
    message: ({ detail }) => `the manifest has ${detail}; at most 1 MiB is read`,
    hint: 'move long texts into fragment files',
  },
  MANIFEST_ENCODING: {
    rule: 0,
    requirement: 'UTF-8 text',
    message: ({ detail }) => `the manifest cannot be read: ${detail}`,
    hint: 'save the file as UTF-8',
  },
  MANIFEST_BOM: {
    rule: 0,
    isWarning: true,
    requirement: 'without a byte order mark',
    message: () => 'the manifest starts with a byte order mark, which was skipped',
    hint: 'save the file as "UTF-8", not as "UTF-8 with BOM"',
  },
  MANIFEST_SYNTAX: {
    rule: 0,
    requirement: 'JSON',
    message: ({ detail }) => `the manifest is not JSON: ${detail}`,
  },
  MANIFEST_TOO_DEEP: {
    rule: 0,
    requirement: 'nested at most 64 levels deep',
    message: () => 'objects and arrays are nested more than 64 levels deep here',
    hint: 'reduce the nesting',
  },
  MANIFEST_DUPLICATE_KEY: {
    rule: 0,
    requirement: 'without repeated keys',
    message: ({ found }) => `the key ${found} is repeated in one object`,
    hint: 'keep one of the two; programs differ in which one they use',
  },
  MANIFEST_FORBIDDEN_KEY: {
    rule: 0,
    requirement: 'without the keys and names __proto__, constructor and prototype',
    message: ({ found }) =>
      `${found} is not allowed as a key or name, because programs could look up something else by it`,
    hint: 'use another name; no part of it may be __proto__, constructor or prototype',
  },
  MANIFEST_NOT_JSON: {
    rule: 0,
    requirement: 'made of JSON values only',
    message: ({ subject, detail }) => `${subject} ${detail}, which JSON cannot express`,
    hint: 'pass a value that JSON.parse returns',
  },
  MANIFEST_NOT_AN_OBJECT: {
    rule: 0,
    requirement: 'a JSON object',
    hint: 'start with { "id": …, or let "gsd capability init <id>" write it',
  },
  MANIFEST_MORE_FAULTS: {
    rule: 0,
    requirement: 'reported up to 500 faults',
    message: ({ detail }) => `${detail} more faults are not listed`,
    hint: 'fix those above and validate again',
  },
  MANIFEST_CONTROL_CHARACTER: {
    rule: 4,
    requirement:
      'free of control and escape characters; line breaks and tabs only in descriptions and inline fragments',
    message: ({ subject, detail }) => `${subject} contains the control character ${detail}`,
    hint: 'remove it; line breaks and tabs are allowed in descriptions and inline fragments only',
  },
  MANIFEST_BROKEN_CHARACTER: {
    rule: 4,
    requirement: 'whole characters',
    message: ({ subject, detail }) => `${subject} contains half a character (${detail}), which UTF-8 cannot express`,
    hint: 'type the character itself instead of its escape',
  },
} as const satisfies RuleTable
