import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { disclosureOf } from '../../trust/disclosure.ts'
import { placesOf } from '../installed/scope-places.ts'
import { prepareFitting } from '../prepare/prepare-fitting.ts'
import { withStaging } from '../transaction/staging.ts'
import { listOf, type Details } from './details.ts'
import { fetchedPolicy, type PolicyView } from './policy-view.ts'

export interface Preview {
  /** Empty where policy refuses to look. */
  readonly details: readonly Details[]
  readonly policy: PolicyView
  readonly warnings: readonly Diagnostic[]
}

/** What a spec would install, found out below the cache. @throws what `prepare` throws, apart from POLICY_REFUSED */
export const previewInstall = (context: Context, text: string, scope: ScopeName): Promise<Preview> => {
  const places = placesOf(context, scope)
  return withStaging(context, async ({ dir }) => {
    try {
      const request = { text, places, into: join(dir, '0'), integrity: null, allowHttp: false, downgrade: null }
      const { manifest, staged, recorded: spec, digest, hidden, warnings } = await prepareFitting(context, request)
      const disclosure = disclosureOf({ manifest, files: staged.files, scope, spec, digest, edits: [], hidden })
      const details = [{ ...disclosure, entry: null, fileList: listOf(staged.files), policy: null }]
      return { details, policy: fetchedPolicy(context, text, null), warnings }
    } catch (error) {
      if (!(error instanceof GsdError) || error.code !== 'POLICY_REFUSED') throw error
      return { details: [], policy: fetchedPolicy(context, text, error), warnings: [] }
    }
  })
}
