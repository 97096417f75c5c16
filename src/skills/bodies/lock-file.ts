import { compareUtf8 } from '../../bundle/byte-order.ts'
import { parseIntegrity } from '../../bundle/integrity.ts'
import { GsdError } from '../../errors.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import { quote } from '../../redact.ts'
import { LOCK_FILE } from '../limits.ts'
import { skillPathFault } from './skill-path.ts'

/** What a catalog was when it was locked. */
export interface SkillsLock {
  /** `sha512-…` over the bytes of `skills_index.json`. */
  readonly index: string
  /** By id. */
  readonly skills: ReadonlyMap<string, LockedSkill>
}

export interface LockedSkill {
  readonly path: string
  /** `sha512-…` over the files of the skill. */
  readonly digest: string
}

/** Text of a lock: ids in byte order, two blanks, a final newline; the same catalog always gives the same bytes. */
export const formatLock = ({ index, skills }: SkillsLock): string => {
  const rows = [...skills].sort(([a], [b]) => compareUtf8(a, b))
  const lines = rows.map(([id, { path, digest }]) => {
    const value = JSON.stringify({ path, digest }, null, 2).replaceAll('\n', '\n    ')
    return `    ${JSON.stringify(id)}: ${value}`
  })
  const inner = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`
  return `{\n  "schema": 1,\n  "index": ${JSON.stringify(index)},\n  "skills": ${inner}\n}\n`
}

/**
 * Reads a lock. Whatever is odd about it refuses all of it: a lock that is only half understood would let through what
 * it was made to stop.
 * @throws GsdError MANIFEST_SKILLS_LOCK
 */
export const parseLock = (bytes: Uint8Array): SkillsLock => {
  const { text, error: fault } = decodeUtf8(bytes)
  if (fault !== null) throw malformed(`is not UTF-8: ${fault.words}`)
  const value = objectOf(parseJson(text), 'is not an object')
  if (value['schema'] !== 1) throw malformed(`has the schema ${quote(value['schema'])}; this program knows 1`)
  const skills = new Map<string, LockedSkill>()
  for (const [id, row] of Object.entries(objectOf(value['skills'], 'has no "skills" object'))) {
    const { path, digest } = objectOf(row, `says nothing of skill ${quote(id)}`)
    if (typeof path !== 'string' || skillPathFault(path) !== null) throw malformed(`has no plain path for ${quote(id)}`)
    skills.set(id, { path, digest: integrity(digest, `of skill ${quote(id)}`) })
  }
  return { index: integrity(value['index'], 'of the index'), skills }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const objectOf = (value: unknown, otherwise: string): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(otherwise)
  return value as Readonly<Record<string, unknown>>
}

const integrity = (value: unknown, words: string): string => {
  try {
    if (typeof value === 'string') return parseIntegrity(value)
  } catch {
    // Said below, with what it is of.
  }
  throw malformed(`has no sha512 ${words}`)
}

const malformed = (words: string): GsdError =>
  new GsdError('MANIFEST_SKILLS_LOCK', `the lock ${quote(LOCK_FILE)} ${words}`, {
    hint: 'gsd skills lock writes it anew, once you have looked at what changed',
  })
