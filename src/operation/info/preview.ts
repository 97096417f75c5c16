import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { prepareCompatible } from '../../resolve/prepare-compatible.ts'
import { scopePathsOf } from '../../state/config/resolve-paths.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { withStaging } from '../../transaction/staging.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { createDisclosure } from '../../trust/disclosure.ts'
import { fetchedPolicyView, type PolicyView } from './policy-view.ts'

export interface Preview {
  /** Empty where policy refuses to look. */
  readonly details: readonly CapabilityDetails[]
  readonly policy: PolicyView
  readonly warnings: readonly Diagnostic[]
}

/** What a spec would install, found out below the cache. @throws what `prepare` throws, apart from POLICY_REFUSED */
export const previewInstall = (context: Context, text: string, scope: ScopeName): Promise<Preview> => {
  const paths = scopePathsOf(context, scope)
  return withStaging(context, async ({ dir }) => {
    try {
      const request = {
        specText: text,
        paths,
        into: join(dir, '0'),
        integrity: null,
        allowHttp: false,
        downgrade: null,
      }
      const {
        manifest,
        staged,
        recordedSpec: spec,
        digest,
        hidden,
        warnings,
      } = await prepareCompatible(context, request)
      const disclosure = createDisclosure({ manifest, files: staged.files, scope, spec, digest, edits: [], hidden })
      const details = [{ ...disclosure, entry: null, fileList: fileListOf(staged.files), policy: null }]
      return { details, policy: fetchedPolicyView(context, text, null), warnings }
    } catch (error) {
      if (!(error instanceof GsdError) || error.code !== 'POLICY_REFUSED') throw error
      return { details: [], policy: fetchedPolicyView(context, text, error), warnings: [] }
    }
  })
}

/** One capability in full: what it runs and brings, what the ledger has of it, and its files. */
export interface CapabilityDetails extends Disclosure {
  readonly entry: LedgerEntry | null
  /** What policy says of the source an installed capability came from; null where there is none, or a catalog knows it. */
  readonly policy: PolicyView | null
  readonly fileList: readonly { readonly path: string; readonly size: number; readonly executable: boolean }[]
}

/** Files as a list for reading. */
export const fileListOf = (files: readonly BundleFile[]): CapabilityDetails['fileList'] =>
  files.map(({ path, size, executable }) => ({ path, size, executable }))
