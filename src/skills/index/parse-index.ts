import type { Diagnostic } from '../../diagnostic.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import { quote } from '../../redact.ts'
import { INDEX_FILE, SKILL_LIMITS } from '../limits.ts'
import { entryFault, riskFault, strictFaults, type EntryFault } from './entry-rules.ts'
import type { SkillEntry } from './entry.ts'
import { freezeValue } from './freeze-value.ts'
import { IndexFindings, REPLACE, REWRITE } from './index-findings.ts'

/** `compat` takes whatever the manifest v1 allows; `strict` also asks what {@link parseIndex} names. */
export type IndexMode = 'compat' | 'strict'

/** An index as it was read. An entry that cannot be used is in `refused` by its id, where it has one. */
export interface ParsedIndex {
  /** In the order of the file; ids are unique. Frozen. */
  readonly entries: readonly SkillEntry[]
  readonly byId: ReadonlyMap<string, SkillEntry>
  readonly refused: ReadonlyMap<string, Diagnostic>
  readonly findings: readonly Diagnostic[]
  /** Whether the file as a whole could not be used; `entries` is empty then. */
  readonly broken: boolean
}

interface ParseOptions {
  readonly mode: IndexMode
  /** Name of the file in messages. Default `skills_index.json`. */
  readonly file?: string
}

/**
 * Bytes of a `skills_index.json` → entries and findings (skills manifest v1). Never throws. In both modes an entry without
 * a required field or with a path that is not plain is left out. Compat keeps the first of two entries with one id and
 * warns; strict asks for unique ids (also without case), ids that can be mentioned, ISO dates and known risk labels.
 */
export const parseIndex = (bytes: Uint8Array, { mode, file = INDEX_FILE }: ParseOptions): ParsedIndex => {
  const findings = new IndexFindings(file)
  if (bytes.byteLength > SKILL_LIMITS.index)
    return broken(findings, `the index is larger than ${SKILL_LIMITS.index} bytes`, 'split the repository')
  const { text, hasBom: mark, error: fault } = decodeUtf8(bytes)
  if (fault !== null) return broken(findings, `the index is not UTF-8: ${fault.words}`, 'save it as UTF-8')
  if (mark) findings.whole(mode === 'strict' ? 'error' : 'warning', 'the index starts with a byte order mark', REWRITE)
  const value = parseJson(text)
  if (value instanceof SyntaxError) return broken(findings, `the index is not JSON: ${value.message}`, REPLACE)
  if (!Array.isArray(value)) return broken(findings, `the index is ${kindOf(value)}, not an array`, REPLACE)
  return readEntries(value, mode, findings)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String(error))
  }
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`

const readEntries = (values: readonly unknown[], mode: IndexMode, findings: IndexFindings): ParsedIndex => {
  const entries: SkillEntry[] = []
  const byId = new Map<string, SkillEntry>()
  const folded = new Map<string, string>()
  const refused = new Map<string, Diagnostic>()
  const severity = mode === 'strict' ? 'error' : 'warning'
  values.forEach((value, at) => {
    const fault = entryFault(value, at) ?? (freezeValue(value, SKILL_LIMITS.depth) ? null : tooDeep(at))
    if (fault !== null) {
      const finding = findings.entry('error', at, fault, value)
      const { id } = Object(value) as { id?: unknown }
      if (typeof id === 'string' && !refused.has(id) && refused.size < SKILL_LIMITS.refused) refused.set(id, finding)
      return
    }
    const entry = value as SkillEntry
    const first = byId.get(entry.id)
    if (first !== undefined) return void findings.entry(severity, at, duplicate(first, entry), value)
    byId.set(entry.id, entry)
    entries.push(entry)
    if (mode === 'strict') for (const broke of strictFaults(entry)) findings.entry('error', at, broke, value)
    else noteRisk(entry, at, findings)
    if (mode === 'compat') return
    const lower = entry.id.toLowerCase()
    const twin = folded.get(lower)
    if (twin === undefined) folded.set(lower, entry.id)
    else findings.entry('error', at, sameFolded(twin, entry.id), value)
  })
  return { entries: Object.freeze(entries), byId, refused, findings: findings.list(), broken: false }
}

const noteRisk = (entry: SkillEntry, at: number, findings: IndexFindings): void => {
  const fault = riskFault(entry)
  if (fault !== null) findings.entry('warning', at, fault, entry)
}

const tooDeep = (at: number): EntryFault => ({
  code: 'MANIFEST_SKILL_ENTRY',
  field: null,
  message: `entry ${at} is nested deeper than ${SKILL_LIMITS.depth}`,
  hint: 'write flat values',
})

const duplicate = (first: SkillEntry, second: SkillEntry): EntryFault => ({
  code: 'MANIFEST_SKILL_DUPLICATE',
  field: 'id',
  message: `the id ${quote(first.id)} is there twice: ${quote(first.path)} and ${quote(second.path)}; the first counts`,
  hint: 'rename one of the two',
})

const sameFolded = (first: string, second: string): EntryFault => ({
  code: 'MANIFEST_SKILL_DUPLICATE',
  field: 'id',
  message: `the ids ${quote(first)} and ${quote(second)} differ only in upper and lower case`,
  hint: 'rename one of the two',
})

const broken = (findings: IndexFindings, message: string, hint: string): ParsedIndex => {
  findings.whole('error', message, hint)
  return { entries: [], byId: new Map(), refused: new Map(), findings: findings.list(), broken: true }
}
