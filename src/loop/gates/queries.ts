import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { PhaseInput } from './gate-input.ts'

/** What a query is given: its name, and what the host says of the phase. */
export interface QueryContext extends PhaseInput {
  readonly query: string
  readonly signal: AbortSignal
}

export interface QueryAnswer {
  readonly block: boolean
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type Query = (context: QueryContext) => Promise<QueryAnswer> | QueryAnswer

/** The queries of this process, by name: a host registers them once, before it evaluates gates. */
const queries = new Map<string, Query>()

/**
 * Answers a query of gates in this process: `registerQuery('ui.safety-gate', async (ctx) => ({ block: false, message: '' }))`.
 * Registering a name again replaces its answer. Returns a call that removes it.
 * @throws GsdError USAGE_BAD_VALUE for a name or answer of the wrong type
 */
export const registerQuery = (name: string, query: Query): (() => void) => {
  if (typeof name !== 'string' || name === '')
    throw new GsdError('USAGE_BAD_VALUE', `${quote(name)} is not the name of a query`, {
      hint: 'give a name such as "ui.safety-gate"',
    })
  if (typeof query !== 'function')
    throw new GsdError('USAGE_BAD_VALUE', `the answer to the query ${quote(name)} is not a function`, {
      hint: 'give a function that returns { block, message }',
    })
  queries.set(name, query)
  return () => {
    if (queries.get(name) === query) queries.delete(name)
  }
}

export const registeredQuery = (name: string): Query | null => queries.get(name) ?? null
