import type { Context } from '../../context.ts'
import { versionReader } from '../../resolve/read-version.ts'
import { scanHiddenText } from '../../resolve/scan-hidden-text.ts'
import type { Change } from '../../state/change.ts'
import { recordChange } from '../../state/change.ts'
import { type ConsentRecord, consentRecordOf, consentSubject, scopeConsentKey } from '../../state/grants.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { consentContent, type InstalledCapability } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { ScopeState } from '../../state/scope-state.ts'
import { shownBaseline } from '../../trust/consent/consent-baseline.ts'
import { createConsentTarget } from '../../trust/consent/consent-target.ts'
import { checkLaneHosts } from '../../trust/consent/lane-hosts.ts'
import { createDisclosure, type Disclosure } from '../../trust/disclosure.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'

/** The consent to one installed capability as it is on disk: what is asked for, and what is recorded for it. */
export interface ConsentStep {
  readonly id: string
  readonly key: string
  readonly before: ConsentRecord | null
  /** The same as `before` where the user agreed to this already. */
  readonly after: ConsentRecord
  readonly disclosure: Disclosure
}

export interface ConsentInput {
  readonly installed: InstalledCapability
  /** Host files that will be edited. */
  readonly edits: Disclosure['edits']
  /** Folder in which the files are now, if not the installed one. */
  readonly from?: string
}

/** @throws OVERLAY_* where its manifest cannot be used */
export const planConsent = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  { installed, edits, from = installed.dir }: ConsentInput,
): ConsentStep => {
  const { id, entry, tree } = installed
  const manifest = manifestOf(installed)
  const { files, digest } = consentContent(paths, installed)
  const surfaces = listSurfaces(manifest, files)
  const key = scopeConsentKey(paths, id)
  const before = state.grants.byKey.get(key) ?? null
  const signature = surfaceSignature(surfaces)
  const target = createConsentTarget(context, { manifest, files, digest, surfaces, signature })
  const renews = checkLaneHosts(context, manifest, surfaces, before).length > 0
  const after = consentRecordOf(consentSubject(paths), target, renews ? null : before, new Date(context.now()))
  const bundle = { dir: from, files, manifest: tree?.manifest ?? new Uint8Array() }
  const disclosure = createDisclosure({
    manifest,
    files,
    scope: paths.scope,
    spec: entry?.spec ?? `.gsd/capabilities/${id}`,
    digest,
    edits,
    hidden: after === before ? [] : scanHiddenText(context.disk, bundle),
    baseline: before === null ? null : shownBaseline(before),
    readFile: versionReader(context.disk, from),
  })
  return { id, key, before, after, disclosure }
}

export const grantChange = ({ key, before, after }: ConsentStep): Change =>
  recordChange('grants', ['grants', key], before, after)
