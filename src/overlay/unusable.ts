import { diagnostic } from '../diagnostic.ts'
import { cleanText, quote } from '../redact.ts'
import type { Origin } from '../registry/registry.ts'
import { type Face, NO_FACE, scopeOf, type Trouble, type UnusableOverlay } from './overlay.ts'

/** An overlay that takes no part, with the warning that says so. */
export const unusable = (id: string, scope: Origin, face: Face, trouble: Trouble): UnusableOverlay => ({
  kind: 'unusable',
  id,
  scope,
  face,
  status: trouble.status,
  reason: cleanText(trouble.reason),
  diagnostic: diagnostic('warning', trouble.code, `${quote(id)} (${scope}) is skipped: ${trouble.reason}`, {
    id,
    ...scopeOf(scope),
    ...trouble.place,
    hint: trouble.hint,
  }),
})

const LONGEST = 120

/** What a list can show of a manifest that may be anything. */
export const faceOf = (value: unknown): Face => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NO_FACE
  const text = (key: keyof Face): string => {
    const member: unknown = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined
    return typeof member === 'string' ? cleanText(member.slice(0, LONGEST)) : ''
  }
  return { role: text('role'), version: text('version'), tier: text('tier'), title: text('title') }
}
