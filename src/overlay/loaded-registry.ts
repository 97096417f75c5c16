import { dirname } from 'node:path'
import { abbreviateFindings } from '../abbreviate.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import { lazy } from '../lazy.ts'
import type { ComposeInput, ComposeResult } from '../registry/compose.ts'
import { asDiagnostic, composeRegistry, type RegistryFinding } from '../registry/compose.ts'
import { DISABLED_BY_USER, DISABLED_IN_PROJECT } from '../registry/fault.ts'
import { gatesOf, type LostGate } from '../registry/lost-gate.ts'
import { RANKS } from '../registry/member.ts'
import type { Registry, Row } from '../registry/registry.ts'
import { shellQuote } from '../shell-quote.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import { isDisabled, type Switches } from '../state/switches.ts'
import type { FirstPartySet, Overlay, UnusableOverlay } from './overlay.ts'
import type { ScopeReading } from './read-scope.ts'

/** Everything that is installed, merged once. */
export interface LoadedRegistry {
  readonly registry: Registry
  /** First-party, then project, then global; each by id. */
  readonly rows: readonly Row[]
  readonly warnings: readonly Diagnostic[]
  /** The input of the composition, for checks of an addition or removal. */
  readonly input: ComposeInput
}

/** Merges the first-party set and the scopes. Pure. */
export const composeScopes = (firstParty: FirstPartySet, scopes: readonly ScopeReading[]): LoadedRegistry => {
  const overlays = scopes.flatMap((scope) => scope.overlays)
  const all = [...firstParty.overlays, ...overlays]
  const input: ComposeInput = {
    firstParty: candidatesOf(firstParty.overlays),
    overlays: candidatesOf(overlays),
    disabled: findDisabled(all, scopes),
    absent: findAbsent(all),
  }
  const composed = composeRegistry(input, { rows: () => rows, lostGates: lazy(() => lostGates()) })
  const unusable = all.filter((overlay) => overlay.kind === 'unusable')
  const rows = [
    ...abbreviateRows([...composed.rows, ...unusable.map(rowOf)].map((row) => addLedgerState(row, scopes))),
    ...scopes.flatMap((scope) => missingRows(scope)),
  ].sort(byScopeAndId)
  const lostGates = (): readonly LostGate[] =>
    withoutKept([...composed.lostGates, ...unreadGates(unusable, scopes), ...scopes.flatMap(missingGates)], composed)
  return {
    registry: composed.registry,
    rows,
    warnings: abbreviateFindings([
      ...firstParty.warnings,
      ...scopes.flatMap((scope) => scope.warnings),
      ...unusable.map((overlay) => overlay.diagnostic),
      ...composed.warnings.map((finding) => withFolderHint(finding, scopes)),
      ...scopes.flatMap(missingWarnings),
    ]),
    input,
  }
}

/** Far above what anybody installs. */
const MAX_BROKEN_ROWS = 1000

/** Folders that are no capabilities, as a repository can hold by the thousand, do not fill the answer; warnings count them. */
const abbreviateRows = (rows: readonly Row[]): readonly Row[] => {
  let broken = 0
  return rows.filter((row) => row.source !== null || row.role !== '' || ++broken <= MAX_BROKEN_ROWS)
}

const candidatesOf = (overlays: readonly Overlay[]) =>
  overlays.flatMap((it) => (it.kind === 'usable' ? [it.candidate] : []))

const findAbsent = (overlays: readonly Overlay[]): Map<string, string> =>
  new Map(
    overlays.flatMap((it): [string, string][] => (it.kind === 'unusable' ? [[it.id, `is skipped: ${it.reason}`]] : [])),
  )

/** The user's switches apply everywhere; a project can only disable more. */
const findDisabled = (overlays: readonly Overlay[], scopes: readonly ScopeReading[]): Map<string, string> => {
  const stateOf = (scope: ScopeReading['paths']['scope']): Switches | null =>
    scopes.find((it) => it.paths.scope === scope)?.state ?? null
  const user = stateOf('global')
  const project = stateOf('project')
  return new Map(
    overlays
      .filter(({ id }) => isDisabled(id, user, project))
      .map(({ id }) => [id, isDisabled(id, user, null) ? DISABLED_BY_USER : DISABLED_IN_PROJECT]),
  )
}

/** A bundle that is not in the ledger cannot be removed by a command, so the hint names its folder. */
const withFolderHint = (found: RegistryFinding, scopes: readonly ScopeReading[]): Diagnostic => {
  const finding = asDiagnostic(found)
  const { id, scope, file } = finding
  const reading = scopes.find((it) => it.paths.scope === scope)
  if (id === undefined || file === undefined || reading?.isLedgerReadable !== true) return finding
  if (reading.ledger?.capabilities.has(id)) return finding
  return found.skipped?.remedy === null
    ? { ...finding, hint: `delete its folder, which is not in the ledger: ${shellQuote(dirname(file))}` }
    : finding
}

const rowOf = ({ id, scope, summary, status, diagnostic: { code }, reason }: UnusableOverlay): Row => ({
  id,
  ...summary,
  scope,
  status,
  code,
  reason,
  source: null,
  hosts: [],
})

const addLedgerState = (row: Row, scopes: readonly ScopeReading[]): Row => {
  const scope = scopes.find((it) => it.paths.scope === row.scope)
  if (scope === undefined) return row
  const entry = scope.ledger?.capabilities.get(row.id)
  if (entry !== undefined) return { ...row, source: entry.spec, hosts: entry.runtimes }
  const source = scope.coreLedger.get(row.id)
  if (source !== undefined) return { ...row, source: source === '' ? 'GSD Core' : `GSD Core: ${source}` }
  return row.status === 'active' ? { ...row, status: 'orphan', code: 'OVERLAY_ORPHAN', reason: ORPHAN_REASON } : row
}

/** Gates of what could not be read or must not be used: by its manifest, else as they were when it was installed. */
const unreadGates = (unusable: readonly UnusableOverlay[], scopes: readonly ScopeReading[]): readonly LostGate[] =>
  unusable.flatMap(({ id, scope, gates, reason, diagnostic: { code, hint = `gsd capability list ${id}` } }) => {
    const recorded = scopes.find((it) => it.paths.scope === scope)?.recordedGates.get(id) ?? []
    return (gates.length > 0 ? gates : recorded).map((gate) => ({ ...gate, capability: id, code, reason, hint }))
  })

const missingGates = (reading: ScopeReading): readonly LostGate[] =>
  missingEntries(reading).flatMap(([capability]) =>
    (reading.recordedGates.get(capability) ?? []).map((gate) => ({
      ...gate,
      capability,
      code: 'OVERLAY_MISSING' as const,
      reason: MISSING_REASON,
      hint: 'gsd capability sync',
    })),
  )

/** A gate that another capability of the same id declares, the same at the same point, is not lost. */
const withoutKept = (lost: readonly LostGate[], { registry }: Pick<ComposeResult, 'registry'>): readonly LostGate[] =>
  lost.filter(({ capability, point, gate }) => {
    const holder = registry.capabilities.get(capability)
    return holder === undefined || !gatesOf(holder.manifest).some((it) => it.point === point && it.gate === gate)
  })

const ORPHAN_REASON = 'it is loaded, but it is not in the ledger'

const missingEntries = ({ ledger, overlays }: ScopeReading): [string, LedgerEntry][] => {
  const found = new Set(overlays.map((overlay) => overlay.id))
  return [...(ledger?.capabilities ?? [])].filter(([id]) => !found.has(id))
}

const MISSING_REASON = 'it is in the ledger, but its folder does not exist'

const missingRows = (reading: ScopeReading): Row[] =>
  missingEntries(reading).map(([id, { version, spec, runtimes }]) => ({
    id,
    role: '',
    version,
    tier: '',
    title: '',
    scope: reading.paths.scope,
    status: 'missing',
    code: 'OVERLAY_MISSING',
    reason: MISSING_REASON,
    source: spec,
    hosts: runtimes,
  }))

const missingWarnings = (reading: ScopeReading): Diagnostic[] =>
  missingEntries(reading).map(([id]) =>
    diagnostic('warning', 'OVERLAY_MISSING', `"${id}" (${reading.paths.scope}) is not loaded: ${MISSING_REASON}`, {
      id,
      scope: reading.paths.scope,
      hint: 'gsd capability sync',
    }),
  )

const byScopeAndId = (a: Row, b: Row): number =>
  RANKS[a.scope] - RANKS[b.scope] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
