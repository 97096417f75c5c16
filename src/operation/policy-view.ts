import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { loadPolicy } from '../resolve/scope-fetch-context.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import { gitHost } from '../spec/url-authority.ts'
import type { Contact, PolicyList } from '../state/config/policy.ts'
import { createPolicyCheck } from '../trust/check-policy.ts'

/** The policy verdict on one source. */
export interface PolicyView {
  /** False for folders and files of this machine, to which policy does not apply. */
  readonly external: boolean
  readonly allowed: boolean
  /** Why not; null if allowed. */
  readonly reason: string | null
  /** The file that refuses; null if allowed. */
  readonly decides: string | null
  /** Every list that applies here. */
  readonly lists: readonly { readonly origin: PolicyList['origin']; readonly file: string }[]
}

/** The outside source a spec names; redirects are only known during the fetch. */
const policyContactOf = (spec: Spec): Contact | null => {
  switch (spec.kind) {
    case 'git': {
      const host = gitHost(spec.url)
      return host === null ? null : { kind: 'host', host, catalog: null }
    }
    case 'tarball':
      return spec.at.kind === 'file' ? null : { kind: 'host', host: new URL(spec.at.url).hostname, catalog: null }
    case 'npm':
      return { kind: 'npm', name: spec.name, catalog: null }
    case 'local':
    case 'catalog':
      return null
  }
}

/** For a spec in the ledger; null for an invalid one. Contacts nothing. */
export const recordedPolicyView = (context: Context, recorded: string, realRoot: string): PolicyView | null => {
  const spec = parseSpecOrNull(context, recorded, realRoot)
  const contact = spec === null ? null : policyContactOf(spec)
  if (spec === null || spec.kind === 'catalog') return null
  return contact === null
    ? policyView(context, false, null)
    : policyView(
        context,
        true,
        refusalOf(() => createPolicyCheck(loadPolicyQuietly(context))(contact)),
      )
}

/** For a spec that was fetched or refused. */
export const fetchedPolicyView = (context: Context, text: string, refusal: GsdError | null): PolicyView => {
  const spec = parseSpecOrNull(context, text, context.cwd)
  const external = refusal !== null || spec?.kind === 'catalog' || (spec !== null && policyContactOf(spec) !== null)
  return policyView(context, external, refusal)
}

const policyView = (context: Context, external: boolean, refusal: GsdError | null): PolicyView => ({
  external,
  allowed: refusal === null,
  reason: refusal?.message ?? null,
  decides: refusal === null ? null : fileOf(refusal.details),
  lists: loadPolicyQuietly(context).lists.map(({ origin, file }) => ({ origin, file })),
})

/** Warnings about the lists were reported when they were read for the fetch. */
const loadPolicyQuietly = (context: Context) => loadPolicy({ ...context, report: () => undefined })

const parseSpecOrNull = ({ home }: Context, text: string, cwd: string): Spec | null => {
  try {
    return parseSpec(text, { cwd, home })
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

const refusalOf = (judge: () => void): GsdError | null => {
  try {
    judge()
    return null
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
}

const fileOf = (details: unknown): string | null =>
  typeof details === 'object' && details !== null && 'file' in details && typeof details.file === 'string'
    ? details.file
    : null
