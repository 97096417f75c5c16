import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isRange } from '../version-range.ts'
import type { SpecParser } from './spec.ts'

const ID = /^(?=.{1,64}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const SHAPE = /^([^@:/#\s]+)@(?:([^@]+)@)?([^@:/#\s]+)$/
/** Usual tags of packages. */
const DIST_TAGS = ['latest', 'next', 'beta', 'alpha', 'canary', 'rc']

/** Whether a catalog may have that name: kebab-case, and not a version or range. */
export const isCatalogName = (name: string): boolean => ID.test(name) && !isRange(name) && !DIST_TAGS.includes(name)

/** `<id>@<catalog>` or `<id>@<range>@<catalog>`. The catalog may not exist. */
export const parseCatalogSpec: SpecParser = (text) => {
  const [, id, range = null, catalog] = SHAPE.exec(text) ?? []
  if (id === undefined || catalog === undefined) return null
  if (range === null && (isRange(catalog) || DIST_TAGS.includes(catalog))) {
    throw new GsdError('SPEC_AMBIGUOUS', `${quote(text)} names no catalog`, {
      hint: `did you mean npm:${text}? From a catalog it is ${id}@<catalog>`,
    })
  }
  if (!ID.test(id)) throw malformed(text, `${quote(id)} is not the id of a capability`)
  if (!isCatalogName(catalog)) throw malformed(text, `${quote(catalog)} is not the name of a catalog`)
  if (range !== null && !isRange(range)) throw malformed(text, `${quote(range)} is not a version range`)
  return { kind: 'catalog', id, range: range === null ? null : range.trim(), catalog }
}

const malformed = (text: string, what: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)}: ${what}`, {
    hint: 'from a catalog write <id>@<catalog> or <id>@<range>@<catalog>; from npm write npm:<name>@<version>',
  })
