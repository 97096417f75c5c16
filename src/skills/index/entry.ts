/** One skill as the index has it (skills manifest v1, "Required fields"). Fields beyond these are kept. */
export interface SkillEntry {
  /** What is written after `@` in a message. */
  readonly id: string
  /** Folder relative to the skills root, such as `skills/brainstorming`. */
  readonly path: string
  readonly category: string
  readonly name: string
  readonly description: string
  /** One of {@link RISK_LABELS}, or a label this program does not know. */
  readonly risk: string
  readonly source: string
  /** ISO date; null where it is not known. */
  readonly date_added: string | null
  readonly [other: string]: unknown
}

/** Labels for `risk`. */
export const RISK_LABELS = ['none', 'safe', 'critical', 'offensive', 'unknown'] as const

/** Required fields in the order in which they are written, each with its JSON types. The schema is made from it. */
export const ENTRY_FIELDS = {
  id: { types: ['string'], minLength: 1, description: 'Skill identifier, the same as in a mention: @skill-id.' },
  path: { types: ['string'], minLength: 1, description: 'Skill folder relative to the skills root: skills/<folder>.' },
  category: { types: ['string'], minLength: 0, description: 'Group used by lists and search.' },
  name: { types: ['string'], minLength: 0, description: 'Display name.' },
  description: { types: ['string'], minLength: 0, description: 'What the skill does and when to use it.' },
  risk: { types: ['string'], minLength: 0, description: `Risk label: ${RISK_LABELS.join(', ')}.` },
  source: { types: ['string'], minLength: 0, description: 'Where the skill comes from.' },
  date_added: { types: ['string', 'null'], minLength: 0, description: 'ISO date, or null.' },
} as const satisfies Record<string, FieldRule>

interface FieldRule {
  readonly types: readonly ('string' | 'null')[]
  readonly minLength: number
  readonly description: string
}

export type EntryField = keyof typeof ENTRY_FIELDS

/** Names of the required fields. */
export const ENTRY_FIELD_NAMES = Object.keys(ENTRY_FIELDS) as readonly EntryField[]

/** Field of an entry whose files belong to an installed capability: its id. The path is relative to that one's folder. */
export const CAPABILITY_FIELD = 'gsd_capability'

/** An id that a message can mention: it starts and ends with a letter or digit. */
export const MENTIONABLE = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/

/** Longest id in the strict form, in characters. */
export const LONGEST_ID = 128
