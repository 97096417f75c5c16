import type { Code } from '../../codes.ts'
import { quote } from '../../redact.ts'
import { skillPathFault } from '../bodies/skill-path.ts'
import { ENTRY_FIELDS, ENTRY_FIELD_NAMES, LONGEST_ID, MENTIONABLE, RISK_LABELS, type SkillEntry } from './entry.ts'
import { isIsoDate } from './iso-date.ts'

/** What is wrong with one entry. `field` is null where the entry as a whole is meant. */
export interface EntryFault {
  readonly code: Code
  readonly field: string | null
  readonly message: string
  readonly hint: string
}

/** Whether a parsed value has every required field in its type, and a plain path. */
export const entryFault = (value: unknown, at: number): EntryFault | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault('MANIFEST_SKILL_ENTRY', null, `entry ${at} is not an object`, 'write {"id": …, "path": …} there')
  }
  const entry = value as Readonly<Record<string, unknown>>
  const named = (): string => (typeof entry['id'] === 'string' ? `skill ${quote(entry['id'])}` : `entry ${at}`)
  for (const field of ENTRY_FIELD_NAMES) {
    if (!Object.hasOwn(entry, field))
      return fault('MANIFEST_SKILL_ENTRY', null, `${named()} has no ${quote(field)}`, `add ${quote(field)}`)
    const { types, minLength } = ENTRY_FIELDS[field]
    const found = entry[field]
    if (!(types as readonly string[]).includes(found === null ? 'null' : typeof found)) {
      const message = `${quote(field)} of ${named()} is ${quote(found)}, not a ${types.join(' or ')}`
      return fault('MANIFEST_SKILL_ENTRY', field, message, `write a ${types.join(' or ')}`)
    }
    if (typeof found === 'string' && found.length < minLength)
      return fault('MANIFEST_SKILL_ENTRY', field, `${quote(field)} of ${named()} is empty`, `give it a ${field}`)
  }
  const { path } = entry as SkillEntry
  const why = skillPathFault(path)
  if (why === null) return null
  const message = `the path ${quote(path)} of ${named()} ${why}`
  return fault('MANIFEST_SKILL_PATH', 'path', message, 'name a folder such as skills/<folder>, by plain names')
}

/** What the strict form asks of an entry on top: ids that can be mentioned, ISO dates, known risk labels. */
export const strictFaults = (entry: SkillEntry): readonly EntryFault[] => {
  const found: EntryFault[] = []
  if (!MENTIONABLE.test(entry.id) || entry.id.length > LONGEST_ID) {
    const message = `the id ${quote(entry.id)} cannot be mentioned`
    const hint = `use letters, digits and ". _ / -" inside, ${LONGEST_ID} characters at most`
    found.push(fault('MANIFEST_SKILL_ID', 'id', message, hint))
  }
  if (entry.date_added !== null && !isIsoDate(entry.date_added)) {
    const message = `the date ${quote(entry.date_added)} of skill ${quote(entry.id)} is not an ISO date`
    found.push(fault('MANIFEST_SKILL_DATE', 'date_added', message, 'write YYYY-MM-DD, or null'))
  }
  const risk = riskFault(entry)
  return risk === null ? found : [...found, risk]
}

/** A risk label this program does not know. */
export const riskFault = (entry: SkillEntry): EntryFault | null =>
  (RISK_LABELS as readonly string[]).includes(entry.risk)
    ? null
    : fault(
        'MANIFEST_SKILL_LABEL',
        'risk',
        `skill ${quote(entry.id)} has the unknown risk label ${quote(entry.risk)}`,
        `use one of ${RISK_LABELS.join(', ')}`,
      )

const fault = (code: Code, field: string | null, message: string, hint: string): EntryFault => ({
  code,
  field,
  message,
  hint,
})
