import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { receiptTarget } from '../../store/receipts.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { readScopeState } from '../installed/scope-state.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { record, withoutIdle } from '../transaction/changes.ts'
import { hostChanges, openHostBook, type HostBook } from '../wiring/host-book.ts'
import type { InstallRequest } from './install-request.ts'
import { planStep, type InstallStep } from './install-step.ts'
import { refuseMovedTag } from './moved-tag.ts'

/** What an install is going to do, decided and not begun. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[]
  /** In the order in which they are applied; empty when there is nothing to do. */
  readonly changes: readonly Change[]
  /** What consent has to be asked for. */
  readonly disclosures: readonly Disclosure[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads what is there and decides everything; writes nothing. Called once to show and to ask, and again under the lock.
 * @throws STATE_*, HOST_*
 */
export const planInstall = (
  context: Context,
  request: InstallRequest,
  places: ScopePlaces,
  prepared: readonly Prepared[],
  known: KnownHosts,
): InstallPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const steps = prepared.map((each) => planStep({ context, request, places, state, book, known }, each))
  if (!request.force)
    for (const {
      prepared: { manifest },
      entryBefore,
      entry,
    } of steps)
      refuseMovedTag(manifest.id, entryBefore, entry)
  const working = steps.filter((step) => !step.unchanged || touches(book, step))
  return {
    steps: steps.map((step) => (working.includes(step) ? Object.assign({}, step, { unchanged: false }) : step)),
    changes: working.length === 0 ? [] : changesOf(working, book),
    disclosures: working.filter(({ decision }) => decision.consent !== null).map(({ disclosure }) => disclosure),
    warnings: [...prepared.flatMap(({ warnings }) => warnings), ...book.warnings()],
  }
}

const touches = (book: HostBook, { prepared }: InstallStep): boolean =>
  book.edits().some(({ id }) => id === prepared.manifest.id)

/** Consent, bundles, host files, what is written of them, and the ledger last: it is the commit. */
const changesOf = (steps: readonly InstallStep[], book: HostBook): readonly Change[] =>
  withoutIdle([
    ...steps.map(({ consent }) => record('consent', ['grants', consent.key], consent.before, consent.after)),
    ...steps.flatMap(swapsOf),
    ...hostChanges(book),
    ...steps.map(({ prepared, entryBefore, entry }) =>
      record('ledger', ['capabilities', prepared.manifest.id], entryBefore, entry),
    ),
  ])

const swapsOf = ({ prepared, decision, survivors, hadReceipt }: InstallStep): readonly Change[] => {
  const { id } = prepared.manifest
  const bundle = `capabilities/${id}`
  const receipt = receiptTarget(id)
  return [
    ...(decision.place ? survivors.changes : []),
    ...(decision.place ? [{ kind: 'swap', target: bundle, from: bundle, replaces: decision.replaces } as const] : []),
    ...(decision.place || !hadReceipt
      ? [{ kind: 'swap', target: receipt, from: receipt, replaces: hadReceipt } as const]
      : []),
  ]
}
