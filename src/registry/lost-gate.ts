import type { DiagnosticCode } from '../diagnostic.ts'
import { LOOP } from '../manifest/loop-contract.ts'
import type { GateCheck, Manifest } from '../manifest/manifest.ts'
import { checkText } from './check-text.ts'

/** A gate that a manifest declares: where it stands, and what it checks in one line. */
export interface DeclaredGate {
  readonly point: string
  readonly gate: string
}

/** A gate that a capability declares which takes no part, so that nothing checks it. */
export interface LostGate extends DeclaredGate {
  readonly capability: string
  /** Code of the finding that keeps the capability out. */
  readonly code: DiagnosticCode
  readonly reason: string
  /** What makes it count again. */
  readonly hint: string
}

/** The gates of a manifest that passed the rules. */
export const gatesOf = (manifest: Manifest): readonly DeclaredGate[] =>
  manifest.role === 'feature' ? manifest.gates.map(({ point, check }) => ({ point, gate: checkText(check) })) : []

/** The gates in a value that should be a manifest and may be anything. */
export const gatesIn = (manifest: unknown): readonly DeclaredGate[] =>
  listOf(memberOf(manifest, 'gates')).flatMap((gate) => {
    const point = memberOf(gate, 'point')
    if (typeof point !== 'string' || !LOOP.points.has(point)) return []
    return [{ point, gate: textOf(memberOf(gate, 'check')) }]
  })

/** The same of the bytes of a manifest; none where they cannot be read. */
export const gatesInText = (manifest: Uint8Array | null): readonly DeclaredGate[] => {
  try {
    return manifest === null ? [] : gatesIn(JSON.parse(new TextDecoder().decode(manifest)) as unknown)
  } catch {
    return []
  }
}

const textOf = (check: unknown): string => {
  const kind = ['query', 'predicate', 'agentVerdict'].find((name) => memberOf(check, name) !== undefined)
  const body = kind === undefined ? undefined : memberOf(check, kind)
  if (kind === 'query') return typeof body === 'string' ? checkText({ query: body }) : 'a check that cannot be read'
  if (typeof body !== 'object' || body === null) return 'a check that cannot be read'
  try {
    return checkText({ [kind ?? '']: body } as unknown as GateCheck) ?? 'a check that cannot be read'
  } catch {
    return 'a check that cannot be read'
  }
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

const MOST_GATES = 1000

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, MOST_GATES) : [])
