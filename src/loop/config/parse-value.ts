import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { DeclaredKey } from './declared-key.ts'
import { nestsDeeper } from './json-with-comments.ts'
import { describeType, fits, namesOf } from './value-type.ts'

const DEEPEST = 32

/**
 * A value as it is typed on a command line, in the type of its key: `true` for a boolean, `3` for a number, text as it
 * stands for a string, JSON for lists and objects.
 * @throws GsdError USAGE_BAD_VALUE naming the type that is due
 */
export const parseValue = (declared: DeclaredKey, text: string): unknown => {
  const types = namesOf(declared.type)
  if ((types.includes('string') || types.includes('enum')) && !isOtherType(declared, text)) {
    if (fits(text, declared)) return text
    throw wrongValue(declared, text)
  }
  const value = parsed(text)
  if (value !== undefined && fits(value, declared)) return value
  if (types.includes('any') && value === undefined) return text
  throw wrongValue(declared, text)
}

/** Where a key takes more than texts, `null`, `true` and the like are meant as such. */
const isOtherType = (declared: DeclaredKey, text: string): boolean => {
  const value = parsed(text)
  return value !== undefined && typeof value !== 'string' && fits(value, declared)
}

const parsed = (text: string): unknown => {
  if (nestsDeeper(text, DEEPEST)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const wrongValue = (declared: DeclaredKey, text: string): GsdError =>
  new GsdError('USAGE_BAD_VALUE', `${quote(text)} is not a value for ${declared.key}`, {
    hint: `${declared.key} takes ${describeType(declared)}`,
  })
