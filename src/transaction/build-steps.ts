import type { Change, Journal, StoreName } from '../state/change.ts'
import { hostStep } from './host-step.ts'
import type { OperationContext } from './operation-context.ts'
import { recordStep } from './record-step.ts'
import type { Step } from './step.ts'
import { swapStep } from './swap-step.ts'

/** Consent comes first and the ledger last: it is the commit (security page, "Operations"). */
const ORDER = ['consent', 'swap', 'host', 'hosts', 'state', 'ledger'] as const
type Rank = (typeof ORDER)[number]

const rankOf = (change: Change): Rank => (change.kind === 'record' ? change.store : change.kind)

/** The changes of a plan in the order of the page; those of one kind stay in the order given. */
export const orderChanges = (changes: readonly Change[]): Change[] =>
  ORDER.flatMap((rank) => changes.filter((change) => rankOf(change) === rank))

/** A journal as steps: all members of one store are one step, and so are all edits of one host file. */
export const buildSteps = (
  operationContext: OperationContext,
  { changes, spellings = [] }: Pick<Journal, 'changes' | 'spellings'>,
): Step[] => {
  const records = (store: StoreName): Step[] => {
    const own = changes.filter((change) => change.kind === 'record').filter((change) => change.store === store)
    const originalFormatting = spellings.find((each) => each.store === store) ?? null
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
  return [...records('consent'), ...swaps, ...hosts, ...records('hosts'), ...records('state'), ...records('ledger')]
}
