import { compareUtf8 } from '../../bundle/byte-order.ts'
import { parseIntegrity } from '../../bundle/integrity.ts'
import { GsdError } from '../../errors.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import { quote } from '../../redact.ts'
import { parsePolicy, type StackPolicy } from './stack-policy.ts'

/** Chosen skills of one catalog, by content. */
export interface Stack {
  readonly schema: 1
  /** The catalog they were chosen from: `sha512-…` over the bytes of its index. */
  readonly catalog: { readonly integrity: string }
  readonly policy: StackPolicy
  /** By id. */
  readonly skills: readonly StackSkill[]
}

export interface StackSkill {
  readonly id: string
  readonly path: string
  readonly risk: string
  readonly source: string
  /** `sha512-…` over the files of the skill. */
  readonly digest: string
}

/** Text of a stack: skills by id, two blanks, a final newline. */
export const formatStack = ({ schema, catalog, policy, skills }: Stack): string => {
  const rows = skills.toSorted((a, b) => compareUtf8(a.id, b.id))
  return `${JSON.stringify({ schema, catalog, policy, skills: rows }, null, 2)}\n`
}

/**
 * Reads a stack.
 * @param file Name in messages
 * @throws GsdError MANIFEST_SKILL_STACK
 */
export const parseStack = (bytes: Uint8Array, file: string): Stack => {
  const malformed = (words: string): GsdError =>
    new GsdError('MANIFEST_SKILL_STACK', `${quote(file)} ${words}`, {
      hint: 'gsd skills stack compose <id>… writes one',
    })
  const { text, error } = decodeUtf8(bytes)
  if (error !== null) throw malformed(`is not UTF-8: ${error.words}`)
  const value = objectOf(parseJson(text, malformed)) ?? {}
  if (value['schema'] !== 1) throw malformed(`has the schema ${quote(value['schema'])}; this program knows 1`)
  const integrity = integrityIn(objectOf(value['catalog'])?.['integrity'])
  if (integrity === null) throw malformed('has no sha512 of its catalog')
  const policy = parsePolicy(value['policy'] ?? {})
  if (typeof policy === 'string') throw malformed(policy)
  const rows: unknown = value['skills']
  if (!Array.isArray(rows)) throw malformed('has no list of skills')
  const skills = rows.map((row: unknown, at) => {
    const skill = skillOf(row)
    if (skill === null) throw malformed(`has no id, path, risk, source and sha512 digest in skill ${at}`)
    return skill
  })
  const twin = skills.find(({ id }, at) => skills.findIndex((other) => other.id === id) !== at)
  if (twin !== undefined) throw malformed(`has the skill ${quote(twin.id)} twice`)
  return { schema: 1, catalog: { integrity }, policy, skills }
}

const parseJson = (text: string, malformed: (words: string) => GsdError): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null

const integrityIn = (value: unknown): string | null => {
  try {
    return typeof value === 'string' ? parseIntegrity(value) : null
  } catch {
    return null
  }
}

const skillOf = (value: unknown): StackSkill | null => {
  const { id, path, risk, source, digest: given } = objectOf(value) ?? {}
  const digest = integrityIn(given)
  if (typeof id !== 'string' || typeof path !== 'string' || typeof risk !== 'string' || typeof source !== 'string')
    return null
  return digest === null ? null : { id, path, risk, source, digest }
}
