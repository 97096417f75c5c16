import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { CONFIG_KEY } from '../grammar.ts'
import { type JsonSchemaObject } from '../shapes/json-schema.ts'
import { describeRule, text } from '../shapes/leaf-shapes.ts'
import { list, map, optional, refused, required, type Members } from '../shapes/object-shapes.ts'
import type { Shape } from '../shapes/shape.ts'
import { variants } from '../shapes/variant-shapes.ts'

/** A default of the declared type; the message names the type. */
const defaultShape = (words: string, isValid: (value: unknown) => boolean, schema: JsonSchemaObject): Shape => ({
  code: 'MANIFEST_CONFIG_DEFAULT',
  check: (value: unknown, findings: Findings) => {
    if (!isValid(value)) findings.reportValue('MANIFEST_CONFIG_DEFAULT', value, { detail: words })
  },
  schema: lazy(() => ({ ...describeRule('MANIFEST_CONFIG_DEFAULT'), ...schema })),
})

const entry = (standard: Shape): Members => ({
  default: required(standard),
  description: required(text('MANIFEST_CONFIG_DESCRIPTION', { nonBlank: true })),
  values: refused('MANIFEST_CONFIG_VALUES_FOREIGN'),
})

const isString = (value: unknown): boolean => typeof value === 'string'

/** Rule 16, without relations between keys. */
export const CONFIG = map(
  'MANIFEST_CONFIG',
  { code: 'MANIFEST_CONFIG_KEY', pattern: CONFIG_KEY, dotted: true },
  variants('MANIFEST_CONFIG_ENTRY', {
    discriminant: 'type',
    discriminantCode: 'MANIFEST_CONFIG_TYPE',
    kinds: {
      boolean: entry(
        defaultShape('true or false, like its type', (value) => typeof value === 'boolean', { type: 'boolean' }),
      ),
      string: entry(defaultShape('a string, like its type', isString, { type: 'string' })),
      number: entry(defaultShape('a finite number, like its type', Number.isFinite, { type: 'number' })),
      enum: {
        ...entry(defaultShape('one of its values', isString, { type: 'string' })),
        values: required(
          list('MANIFEST_CONFIG_VALUES', text('MANIFEST_CONFIG_VALUE'), { nonEmpty: true, unique: true }),
        ),
      },
    },
  }),
)

export const CONFIG_REQUIRED = required(CONFIG)
export const CONFIG_OPTIONAL = optional(CONFIG)
