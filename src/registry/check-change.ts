import { diagnostic, type Diagnostic, type DiagnosticCode, type ScopeName } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import { type ComposeResult, type ComposeInput, composeRegistry, type RegistryFinding } from './compose.ts'
import { DISABLED_IN_PROJECT, ONLY_IN_PROJECT } from './fault.ts'
import type { Candidate, Row } from './registry.ts'

/**
 * Checks whether candidates can be added to a scope, or replace those of the same ids. It composes the future state with
 * the function that loads it, so that what installs also loads. A global addition is checked against first-party and
 * global capabilities, a project one against all (contract, "Precedence").
 *
 * @returns errors that refuse the change: a candidate would be skipped, or would exclude what is active now; and warnings
 *   and infos about the candidates
 */
export const checkAddition = (
  current: ComposeInput,
  candidates: readonly Candidate[],
  scope: ScopeName,
): RegistryFinding[] => {
  const ids = new Set(candidates.map((candidate) => candidate.manifest.id))
  const before = visibleFrom(current, scope)
  const after: ComposeInput = {
    ...before,
    overlays: [...withoutIds(before.overlays, ids, scope), ...candidates],
    disabled: withoutKeys(before.disabled, ids),
    absent: withoutKeys(before.absent, ids),
  }
  const composed = composeRegistry(after)
  const own = composed.warnings.filter(
    (finding) => finding.id !== undefined && ids.has(finding.id) && finding.scope === scope,
  )
  const skipped = new Set(
    composed.rows.filter((row) => row.scope === scope && row.status !== 'active').map((row) => row.id),
  )
  return [
    ...own.map((finding) => (skipped.has(finding.id ?? '') ? asError(finding) : finding)),
    ...newlySkipped(composeRegistry(before), composed, ids).map((row) =>
      skippedError(
        row.code ?? 'REGISTRY_REQUIRES_SKIPPED',
        row,
        `with ${[...ids].map(quote).join(', ')}, ${quote(row.id)} (${row.scope}) would be skipped: ${row.reason}`,
      ),
    ),
  ]
}

const asError = (finding: RegistryFinding): RegistryFinding => ({ ...finding, severity: 'error' })

/**
 * An error for each active capability that would be skipped without these ids of a scope. Requirements of the project on
 * the global scope count too.
 */
export const checkRemoval = (current: ComposeInput, ids: readonly string[], scope: ScopeName): Diagnostic[] => {
  const gone = new Set(ids)
  const after = { ...current, overlays: withoutIds(current.overlays, gone, scope) }
  return newlySkipped(composeRegistry(current), composeRegistry(after), gone).map((row) =>
    skippedError(
      'REGISTRY_REQUIRED_BY',
      row,
      `without ${[...gone].map(quote).join(', ')}, ${quote(row.id)} (${row.scope}) would be skipped: ${row.reason}`,
    ),
  )
}

/** A global capability is also used in other projects: capabilities and switches of this project do not count for it. */
const visibleFrom = (current: ComposeInput, scope: ScopeName): ComposeInput => {
  if (scope === 'project') return current
  const overlays = current.overlays.filter((it) => it.origin === 'global')
  const only = current.overlays.filter((it) => it.origin === 'project').map(({ manifest }) => manifest.id)
  return {
    ...current,
    overlays,
    disabled: new Map([...(current.disabled ?? [])].filter(([, clause]) => clause !== DISABLED_IN_PROJECT)),
    absent: new Map([...only.map((id) => [id, ONLY_IN_PROJECT] as const), ...(current.absent ?? [])]),
  }
}

const withoutIds = (overlays: readonly Candidate[], ids: ReadonlySet<string>, scope: ScopeName): Candidate[] =>
  overlays.filter((it) => it.origin !== scope || !ids.has(it.manifest.id))

const withoutKeys = (map: ReadonlyMap<string, string> | undefined, keys: ReadonlySet<string>): Map<string, string> =>
  new Map([...(map ?? [])].filter(([key]) => !keys.has(key)))

const newlySkipped = (before: ComposeResult, after: ComposeResult, changed: ReadonlySet<string>): Row[] => {
  const active = new Set(before.rows.filter((row) => row.status === 'active').map(rowKey))
  return after.rows.filter(
    (row) => active.has(rowKey(row)) && row.status !== 'active' && row.status !== 'shadowed' && !changed.has(row.id),
  )
}

const rowKey = (row: Row): string => `${row.scope} ${row.id}`

const skippedError = (code: DiagnosticCode, row: Row, message: string): Diagnostic =>
  diagnostic('error', code, message, {
    id: row.id,
    ...(row.scope === 'first-party' ? {} : { scope: row.scope }),
    hint: `gsd capability remove ${row.id}${row.scope === 'first-party' ? '' : ` --scope ${row.scope}`}`,
  })
