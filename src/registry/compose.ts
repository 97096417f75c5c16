import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { lazy } from '../lazy.ts'
import { quote } from '../redact.ts'
import { type Fault, statusOf } from './fault.ts'
import { gatesOf, type LostGate } from './lost-gate.ts'
import { type Member, membersOf } from './member.ts'
import type { Candidate, Registry, Row, Status } from './registry.ts'
import { resolveMembers } from './resolve-members.ts'
import { findUnknownRuntimes } from './unknown-runtimes.ts'
import { buildRegistry, type Views } from './views.ts'

export interface ComposeInput {
  readonly firstParty: readonly Candidate[]
  readonly overlays: readonly Candidate[]
  /** Id → who disabled it, as a clause: `is disabled in this project`. Disabled capabilities are excluded. */
  readonly disabled?: ReadonlyMap<string, string>
  /** Id → why it cannot be read or used, as a clause: `is not trusted here`. */
  readonly absent?: ReadonlyMap<string, string>
  /** Host runtimes that exist besides those in the registry. */
  readonly runtimes?: readonly string[]
}

export interface ComposeResult {
  readonly registry: Registry
  /** One for each candidate. */
  readonly rows: readonly Row[]
  readonly warnings: readonly RegistryFinding[]
  /** Gates of the candidates that cannot take part. */
  readonly lostGates: readonly LostGate[]
}

/** A finding about the merged set, with its parts as data where a capability is skipped. Not for answers: see {@link asDiagnostic}. */
export interface RegistryFinding extends Diagnostic {
  readonly skipped?: {
    /** The capability, quoted, with its scope. */
    readonly name: string
    /** Follows the name: `its skill "x" belongs to "a" (first-party)`. */
    readonly reason: string
    /** What fixes it; null where only removing the capability does. */
    readonly remedy: string | null
  }
}

/** The finding as answers show it. */
export const asDiagnostic = ({ skipped: _skipped, ...finding }: RegistryFinding): Diagnostic => finding

/**
 * Merges first-party capabilities and overlays into one registry (contract, "Precedence"; rules 43 to 47). Pure, never
 * throws, linear in the set. Whatever cannot take part is skipped with a warning that names both sides.
 *
 * @param views views of the registry that the caller knows better
 */
export const composeRegistry = (input: ComposeInput, views: Partial<Views> = {}): ComposeResult => {
  const members = membersOf([...input.firstParty, ...input.overlays])
  const disabled = input.disabled ?? new Map<string, string>()
  const isOff = (member: Member): boolean => disabled.has(member.id)
  const reserved = members.filter((member) => member.rank === 0 && isOff(member))
  const reservedIds = new Set(reserved.map((member) => member.id))
  const absent = new Map([...(input.absent ?? []), ...disabled])
  const candidates = members.filter((member) => !isOff(member) || (member.rank > 0 && reservedIds.has(member.id)))
  const { accepted, faults, shadowed } = resolveMembers(candidates, { absent, reserved })
  const outcome = (member: Member): Outcome => {
    const fault = faults.get(member)?.[0]
    if (fault !== undefined) return { status: statusOf(fault.code), code: fault.code, reason: fault.reason }
    const holder = shadowed.get(member)
    if (holder !== undefined) return { status: 'shadowed', code: 'REGISTRY_SHADOWED', reason: shadowedReason(holder) }
    const off = disabled.get(member.id)
    return off === undefined ? ACTIVE : { status: 'disabled', code: 'OVERLAY_DISABLED', reason: `it ${off}` }
  }
  const rows = members.map((member) => rowOf(member, outcome(member)))
  const lostGates = members.flatMap((member) => lostGatesOf(member, faults.get(member)?.[0]))
  return {
    registry: buildRegistry(() => accepted, {
      rows: () => rows,
      excluded: lazy(() => excludedFrom(members, accepted)),
      lostGates: () => lostGates,
      ...views,
    }),
    rows,
    lostGates,
    warnings: [
      ...members.flatMap((member) => (faults.get(member) ?? []).map((fault) => skippedWarning(member, fault))),
      ...[...shadowed].map(([member, holder]) => shadowedNotice(member, holder)),
      ...findUnknownRuntimes(accepted, input.runtimes ?? []),
    ],
  }
}

type Outcome = Pick<Row, 'status' | 'code' | 'reason'>

const ACTIVE: Outcome = { status: 'active' satisfies Status, code: null, reason: null }

const shadowedReason = (holder: Member): string => `${holder.name} ${holder.candidate.manifest.version} replaces it`

const rowOf = ({ id, origin, candidate: { manifest } }: Member, outcome: Outcome): Row => ({
  id,
  role: manifest.role,
  version: manifest.version,
  tier: manifest.tier,
  title: manifest.title,
  scope: origin,
  ...outcome,
  source: null,
  hosts: [],
})

const excludedFrom = (members: readonly Member[], accepted: readonly Member[]): readonly Candidate[] => {
  const taking = new Set(accepted)
  return members.filter((member) => !taking.has(member)).map(({ candidate }) => candidate)
}

const lostGatesOf = (member: Member, fault: Fault | undefined): LostGate[] =>
  fault === undefined
    ? []
    : gatesOf(member.candidate.manifest).map((gate) => ({
        ...gate,
        capability: member.id,
        code: fault.code,
        reason: fault.reason,
        hint: fault.hint ?? removalHint(member),
      }))

const skippedWarning = (member: Member, fault: Fault): RegistryFinding => ({
  ...diagnostic('warning', fault.code, `${member.name} is skipped: ${fault.reason}`, {
    ...locationOf(member),
    path: fault.pointer,
    hint: fault.hint ?? removalHint(member),
  }),
  skipped: { name: member.name, reason: fault.reason, remedy: fault.hint ?? null },
})

const shadowedNotice = (member: Member, holder: Member): Diagnostic =>
  diagnostic('info', 'REGISTRY_SHADOWED', `${member.name} is shadowed: ${shadowedReason(holder)}`, locationOf(member))

const locationOf = ({ id, origin, candidate }: Member): Partial<Diagnostic> => ({
  id,
  ...(origin === 'first-party' ? {} : { scope: origin }),
  ...(candidate.dir === null ? {} : { file: `${candidate.dir}/capability.json` }),
})

const removalHint = ({ id, origin }: Member): string =>
  origin === 'first-party'
    ? `correct the first-party capability ${quote(id)}`
    : `gsd capability remove ${id} --scope ${origin}`
