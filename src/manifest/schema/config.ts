import type { Findings } from '../findings.ts'
import { CONFIG_KEY } from '../grammar.ts'
import { once, type JsonSchemaObject } from '../json-schema.ts'
import { described, text } from '../leaf-shapes.ts'
import { list, map, optional, refused, required, type Members } from '../object-shapes.ts'
import type { Shape } from '../shape.ts'
import { variants } from '../variant-shapes.ts'

/** A default of the declared type; the message names the type. */
const defaultOf = (words: string, sound: (value: unknown) => boolean, schema: JsonSchemaObject): Shape => ({
  code: 'MANIFEST_CONFIG_DEFAULT',
  check: (value: unknown, findings: Findings) => {
    if (!sound(value)) findings.wrong('MANIFEST_CONFIG_DEFAULT', value, { detail: words })
  },
  schema: once(() => ({ ...described('MANIFEST_CONFIG_DEFAULT'), ...schema })),
})

const entry = (standard: Shape): Members => ({
  default: required(standard),
  description: required(text('MANIFEST_CONFIG_DESCRIPTION', { filled: true })),
  values: refused('MANIFEST_CONFIG_VALUES_FOREIGN'),
})

const isString = (value: unknown): boolean => typeof value === 'string'

/** Rule 16, apart from what spans several keys. */
export const CONFIG = map(
  'MANIFEST_CONFIG',
  { code: 'MANIFEST_CONFIG_KEY', pattern: CONFIG_KEY, dotted: true },
  variants('MANIFEST_CONFIG_ENTRY', {
    by: 'type',
    byCode: 'MANIFEST_CONFIG_TYPE',
    kinds: {
      boolean: entry(
        defaultOf('true or false, as its type says', (value) => typeof value === 'boolean', { type: 'boolean' }),
      ),
      string: entry(defaultOf('a string, as its type says', isString, { type: 'string' })),
      number: entry(defaultOf('a finite number, as its type says', Number.isFinite, { type: 'number' })),
      enum: {
        ...entry(defaultOf('one of its values', isString, { type: 'string' })),
        values: required(list('MANIFEST_CONFIG_VALUES', text('MANIFEST_CONFIG_VALUE'), { filled: true, unique: true })),
      },
    },
  }),
)

export const CONFIG_REQUIRED = required(CONFIG)
export const CONFIG_OPTIONAL = optional(CONFIG)
