import type { Contact, PolicyList } from '../../config/policy.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { gitHost } from '../../spec/git-host.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { Spec } from '../../spec/spec.ts'
import { policyJudge } from '../../trust/policy.ts'
import { policyOf } from '../prepare/policy-of.ts'

/** What policy says of one source. */
export interface PolicyView {
  /** False for folders and files of this machine, of which policy is not asked. */
  readonly external: boolean
  readonly allowed: boolean
  /** Why not; null where it is allowed. */
  readonly reason: string | null
  /** The file that refuses; null where it is allowed. */
  readonly decides: string | null
  /** Every list that holds here. */
  readonly lists: readonly { readonly origin: PolicyList['origin']; readonly file: string }[]
}

/** Somewhere outside that a spec leads to by itself; what is really contacted is only known while it is fetched. */
const contactOf = (spec: Spec): Contact | null => {
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

/** Of a spec in the ledger; null for one that cannot be understood. Nobody is contacted. */
export const recordedPolicy = (context: Context, recorded: string, realRoot: string): PolicyView | null => {
  const spec = specOf(context, recorded, realRoot)
  const contact = spec === null ? null : contactOf(spec)
  if (spec === null || spec.kind === 'catalog') return null
  return contact === null
    ? verdict(context, false, null)
    : verdict(
        context,
        true,
        refusalOf(() => policyJudge(quietPolicy(context))(contact)),
      )
}

/** Of a spec that was fetched, or that policy refused to be. */
export const fetchedPolicy = (context: Context, text: string, refusal: GsdError | null): PolicyView => {
  const spec = specOf(context, text, context.cwd)
  const external = refusal !== null || spec?.kind === 'catalog' || (spec !== null && contactOf(spec) !== null)
  return verdict(context, external, refusal)
}

const verdict = (context: Context, external: boolean, refusal: GsdError | null): PolicyView => ({
  external,
  allowed: refusal === null,
  reason: refusal?.message ?? null,
  decides: refusal === null ? null : fileOf(refusal.details),
  lists: quietPolicy(context).lists.map(({ origin, file }) => ({ origin, file })),
})

/** What is odd about the lists was said when they were read for the fetch. */
const quietPolicy = (context: Context) => policyOf({ ...context, report: () => undefined })

const specOf = ({ home }: Context, text: string, cwd: string): Spec | null => {
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
