import type { Schema } from './json-schema.ts'

/** Arguments of every tool that gives a list. */
export const LIST_ARGUMENTS = {
  limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Most items in this answer.' },
  cursor: { type: 'string', maxLength: 20, description: 'The cursor of an earlier answer, for the next items.' },
} as const satisfies Readonly<Record<string, Schema>>

/** Members of every answer that is part of a list. */
export const LIST_MEMBERS = {
  total: { type: 'integer' },
  truncated: { type: 'boolean', description: 'Whether there are more; then the cursor leads on.' },
  cursor: { type: ['string', 'null'] },
} as const satisfies Readonly<Record<string, Schema>>

/** Arguments of every tool that gives a text. */
export const RANGE_ARGUMENTS = {
  offset: { type: 'integer', minimum: 0, maximum: 2_147_483_647, description: 'Byte to start at. Default 0.' },
  length: {
    type: 'integer',
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'Most bytes. A reply holds some 40,000.',
  },
} as const satisfies Readonly<Record<string, Schema>>

/** A part of a text. */
export const RANGE = {
  type: 'object',
  properties: {
    offset: { type: 'integer' },
    length: { type: 'integer' },
    text: { type: 'string' },
    bytes: { type: 'integer', description: 'Bytes of the whole text.' },
    truncated: { type: 'boolean' },
    next_offset: { type: ['integer', 'null'], description: 'Where the next part starts.' },
  },
  required: ['offset', 'length', 'text', 'bytes', 'truncated', 'next_offset'],
  additionalProperties: false,
} as const satisfies Schema

export const ID = { type: 'string', maxLength: 1024, description: 'Exactly as a list or a search gave it.' } as const

/** A finding as a tool gives it. */
export const FINDING = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    severity: { type: 'string' },
    message: { type: 'string' },
    id: { type: 'string' },
    hint: { type: 'string' },
  },
  required: ['code', 'severity', 'message'],
  additionalProperties: true,
} as const satisfies Schema

/** A list of texts; null for anything else. */
export const stringList = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === 'string') ? value : null
