import { ENTRY_FIELDS, RISK_LABELS, MENTIONABLE, LONGEST_ID } from './entry.ts'

/** JSON Schema (draft-07) of a skills index, version 1, made from the table of fields. */
export const skillsIndexSchema = (): unknown => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'skills-index.v1.schema.json',
  title: 'Skills index, version 1',
  description: 'skills_index.json and its exact mirror data/skills_index.json: one object per skill.',
  type: 'array',
  items: {
    type: 'object',
    required: Object.keys(ENTRY_FIELDS),
    properties: {
      ...Object.fromEntries(Object.entries(ENTRY_FIELDS).map(propertyOf)),
      plugin: { description: 'Optional metadata of hosts.' },
    },
    additionalProperties: true,
  },
})

const EXTRA: Readonly<Record<string, unknown>> = {
  id: {
    $comment: `Strict reading: ${MENTIONABLE.source}, ${LONGEST_ID} characters at most, unique also without case.`,
  },
  path: { pattern: '^skills(?:/(?!\\.{1,2}(?:/|$))[^/\\\\\\u0000-\\u001f\\u007f]+)+$' },
  risk: { examples: RISK_LABELS, $comment: 'Another label is a warning; strict reading refuses it.' },
  date_added: { $comment: 'Strict reading asks for an ISO date.' },
}

const propertyOf = ([field, { types, minLength, description }]: readonly [
  string,
  (typeof ENTRY_FIELDS)[keyof typeof ENTRY_FIELDS],
]): readonly [string, unknown] => [
  field,
  {
    description,
    type: types.length === 1 ? types[0] : types,
    ...(minLength === 0 ? {} : { minLength }),
    ...Object(EXTRA[field]),
  },
]
