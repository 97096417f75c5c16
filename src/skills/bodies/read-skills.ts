import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { quote } from '../../redact.ts'
import type { SkillEntry } from '../index/entry.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { SKILL_FILE, SKILL_LIMITS } from '../limits.ts'
import { readConfined } from './confined-file.ts'
import { below } from './confined-folder.ts'
import { requireLocked } from './locked.ts'

export interface ReadOptions {
  /** Largest body in bytes. Default 256 KiB. */
  readonly maxBytes?: number
  /** Largest sum of all bodies in bytes. Default 512 KiB. */
  readonly maxTotalBytes?: number
  /** `throw` (default) ends at the first skill that cannot be read; `collect` reads the others and names it. */
  readonly onError?: 'throw' | 'collect'
}

/** A body as it was read. It was written by others: content to judge, not instructions to trust. */
export interface ReadSkill {
  readonly id: string
  readonly path: string
  /** Hex sha512 of the bytes of `SKILL.md`. */
  readonly sha512: string
  /** Size of `SKILL.md` in bytes. */
  readonly bytes: number
  /** The text of `SKILL.md`, without a byte order mark. */
  readonly text: string
  readonly untrusted: true
}

export interface ReadSkills {
  /** In the order of the ids that were asked for. */
  readonly skills: readonly ReadSkill[]
  readonly errors: readonly Diagnostic[]
}

/**
 * Reads the `SKILL.md` of a few skills, by exact id: below their root, through no link, plain UTF-8 files with one name,
 * and as they were locked where the root has a lock. Nothing else is opened.
 *
 * @throws GsdError with `onError: 'throw'` STATE_NO_SKILL, STATE_SKILL_MISSING, POLICY_SKILL_CONFINED,
 *   POLICY_SKILL_SIZE, MANIFEST_SKILL_ENCODING, INTEGRITY_SKILL_CHANGED, and why an entry of the index was refused.
 *   Always USAGE_BAD_VALUE for options of the wrong type.
 */
export const readSkills = (index: SkillsIndex, ids: readonly string[], options: ReadOptions = {}): ReadSkills => {
  const { maxBytes, maxTotalBytes, onError } = checked(options, ids)
  const skills: ReadSkill[] = []
  const errors: Diagnostic[] = []
  let total = 0
  for (const id of new Set(ids)) {
    try {
      const skill = readSkill(index, id, Math.min(maxBytes, SKILL_LIMITS.largestBody))
      if (total + skill.bytes > maxTotalBytes) throw overTurn(id, maxTotalBytes)
      total += skill.bytes
      skills.push(skill)
    } catch (error) {
      if (onError === 'throw' || !(error instanceof GsdError)) throw error
      errors.push(diagnostic('error', error.code, error.message, { id, ...hintOf(error) }))
    }
  }
  return { skills, errors }
}

const readSkill = (index: SkillsIndex, id: string, maxBytes: number): ReadSkill => {
  const entry = entryOf(index, id)
  const root = index.rootOf(entry)
  const { bytes } = ofSkill(id, () => readConfined(index.disk, root, below(entry.path, SKILL_FILE), maxBytes))
  requireLocked(index, entry, { path: SKILL_FILE, bytes })
  const { text, error: fault } = decodeUtf8(bytes)
  if (fault !== null) {
    const message = `skill ${quote(id)}: ${quote(below(entry.path, SKILL_FILE))} is not UTF-8: ${fault.words}`
    throw new GsdError('MANIFEST_SKILL_ENCODING', message, { hint: 'save it as UTF-8' })
  }
  const sha512 = sha512Hex(bytes)
  return { id, path: entry.path, sha512, bytes: bytes.length, text, untrusted: true }
}

/** Entry of exactly this id. Throws STATE_NO_SKILL, or why the entry was refused. */
export const entryOf = (index: SkillsIndex, id: string): SkillEntry => {
  const entry = index.get(id)
  if (entry !== undefined) return entry
  const refused = index.refusal(id)
  if (refused === undefined) throw unknownSkill(id)
  const code = refused.code === 'MANIFEST_SKILL_PATH' ? 'MANIFEST_SKILL_PATH' : 'MANIFEST_SKILL_ENTRY'
  throw new GsdError(code, refused.message, refused.hint === undefined ? {} : { hint: refused.hint })
}

export const unknownSkill = (id: string): GsdError =>
  new GsdError('STATE_NO_SKILL', `there is no skill ${quote(id)} in the index`, {
    hint: 'gsd skills search <words> finds skills',
  })

/** Puts the id of the skill before what went wrong with one of its files. */
export const ofSkill = <T>(id: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    throw new GsdError(error.code, `skill ${quote(id)}: ${error.message}`, { ...hintOf(error), cause: error })
  }
}

const hintOf = ({ hint }: GsdError): { readonly hint?: string } => (hint === undefined ? {} : { hint })

const overTurn = (id: string, limit: number): GsdError =>
  new GsdError('POLICY_SKILL_SIZE', `skill ${quote(id)} would bring the turn above ${limit} bytes`, {
    hint: 'load fewer skills in one turn, or raise the limit',
  })

const checked = (options: ReadOptions, ids: readonly string[]): Required<ReadOptions> => {
  const { maxBytes = SKILL_LIMITS.body, maxTotalBytes = SKILL_LIMITS.turn, onError = 'throw' } = options
  for (const [name, value] of Object.entries({ maxBytes, maxTotalBytes }))
    if (!Number.isSafeInteger(value) || value < 0) throw badValue(name, value, 'a number of bytes')
  if (onError !== 'throw' && onError !== 'collect') throw badValue('onError', onError, '"throw" or "collect"')
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) throw badValue('ids', ids, 'a list of ids')
  return { maxBytes, maxTotalBytes, onError }
}

const badValue = (name: string, value: unknown, wanted: string): GsdError =>
  new GsdError('USAGE_BAD_VALUE', `${name} is ${quote(value)}`, { hint: `give ${wanted}` })
