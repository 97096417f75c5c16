import type { Change, Journal, StoreName } from '../state/change.ts'
import { hostStep } from './host-step.ts'
import type { OperationContext } from './operation-context.ts'
import { recordStep } from './record-step.ts'
import type { Step } from './step.ts'
import { swapStep } from './swap-step.ts'

/** Grants first, the ledger last: it is the commit (security page, "Operations"). */
const ORDER = ['grants', 'swap', 'host', 'hosts', 'state', 'ledger'] as const
type Rank = (typeof ORDER)[number]

const rankOf = (change: Change): Rank => (change.kind === 'record' ? change.store : change.kind)

/** The changes of a plan in the order in which they are applied; those of one kind keep their order. */
export const orderChanges = (changes: readonly Change[]): Change[] =>
  ORDER.flatMap((rank) => changes.filter((change) => rankOf(change) === rank))

/** The steps of a journal: one for all members of a store, one for all edits of a host file. */
export const buildSteps = (
  operationContext: OperationContext,
  { changes, formatting = [] }: Pick<Journal, 'changes' | 'formatting'>,
): Step[] => {
  const records = (store: StoreName): Step[] => {
    const own = changes.filter((change) => change.kind === 'record').filter((change) => change.store === store)
    const originalFormatting = formatting.find((each) => each.store === store) ?? null
    return own.length === 0 ? [] : [recordStep(operationContext, { store, changes: own, originalFormatting })]
  }
  const swaps = changes.filter((change) => change.kind === 'swap').map((change) => swapStep(operationContext, change))
  const edits = changes.filter((change) => change.kind === 'host').map(({ edit }) => edit)
  const hosts = [...new Set(edits.map(({ file }) => file))].map((file) =>
    hostStep(
      operationContext,
      file,
      edits.filter((edit) => edit.file === file),
    ),
  )
  return [...records('grants'), ...swaps, ...hosts, ...records('hosts'), ...records('state'), ...records('ledger')]
}
