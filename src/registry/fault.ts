import type { DiagnosticCode } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { Member } from './member.ts'
import type { Status } from './registry.ts'

/** Why a member cannot be part of the merged set. */
export interface Fault {
  readonly code: DiagnosticCode
  /** Follows the name of the capability: `its skill "x" belongs to "a" (first-party)`. */
  readonly reason: string
  /** JSON pointer into its manifest. */
  readonly pointer: string
  readonly hint?: string
  /** The member that blocks it, if there is one. */
  readonly blocker?: Member
  /** For an unmet requirement: the ids down to the root cause, and that cause. */
  readonly chain?: RequirementChain
}

interface RequirementChain {
  readonly ids: readonly string[]
  /** The number of further ids. */
  readonly more: number
  readonly root: string
}

const MAX_CHAIN_LENGTH = 6

/**
 * A requirement cannot be met (rule 44).
 *
 * @param cause the fault of the requirement itself, or a clause that says why it is missing: `is not installed`
 */
export const unmetRequirementFault = (id: string, cause: Fault | string): Fault => {
  const chain = chainOf(id, cause)
  const missing = cause === NOT_INSTALLED || cause === ONLY_IN_PROJECT
  const hintOf = typeof cause === 'string' && Object.hasOwn(HINTS, cause) ? HINTS[cause] : undefined
  return {
    code: missing ? 'REGISTRY_REQUIRES_MISSING' : 'REGISTRY_REQUIRES_SKIPPED',
    reason: `it requires ${chain.ids.map(quote).join(', which requires ')}${chainSuffix(chain)}, which ${chain.root}`,
    pointer: '/requires',
    ...(typeof cause === 'string' || cause.blocker === undefined ? {} : { blocker: cause.blocker }),
    ...(hintOf === undefined ? {} : { hint: hintOf(id) }),
    chain,
  }
}

/** Clause for an id that is not on this machine. */
export const NOT_INSTALLED = 'is not installed'

/** Clause for an id that only the project has, for a capability of the global scope. */
export const ONLY_IN_PROJECT = 'is installed in this project only'

/** Clause for an id that the project disabled. */
export const DISABLED_IN_PROJECT = 'is disabled in this project'

/** Clause for an id that the user disabled. */
export const DISABLED_BY_USER = 'is disabled by you'

const HINTS: Readonly<Record<string, (id: string) => string>> = {
  [NOT_INSTALLED]: (id) => `install ${quote(id)} first: gsd capability install <spec of ${id}>`,
  [DISABLED_BY_USER]: (id) => `gsd capability enable ${id} --scope global`,
  [DISABLED_IN_PROJECT]: (id) => `gsd capability enable ${id} --scope project`,
  [ONLY_IN_PROJECT]: (id) => `install ${quote(id)} with --scope global as well, or this one with --scope project`,
}

const chainOf = (id: string, cause: Fault | string): RequirementChain => {
  if (typeof cause === 'string') return { ids: [id], more: 0, root: cause }
  const { chain } = cause
  if (chain === undefined) return { ids: [id], more: 0, root: `is skipped: ${cause.reason}` }
  const ids = [id, ...chain.ids]
  return {
    ids: ids.slice(0, MAX_CHAIN_LENGTH),
    more: chain.more + Math.max(0, ids.length - MAX_CHAIN_LENGTH),
    root: chain.root,
  }
}

const chainSuffix = (chain: RequirementChain): string => (chain.more === 0 ? '' : `, … and ${chain.more} more`)

/** Status of the row of a capability that has this fault. */
export const statusOf = (code: DiagnosticCode): Status =>
  code.endsWith('_COLLISION') || code === 'REGISTRY_CONFIG_CENTRAL' ? 'collision' : 'blocked'
