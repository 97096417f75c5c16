import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import type { LoadedRegistry } from '../overlay/loaded-registry.ts'
import type { Disk } from '../platform/disk.ts'
import { pathExists } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { Candidate, Row } from '../registry/registry.ts'
import { prepareCompatible } from '../resolve/prepare-compatible.ts'
import { versionReader } from '../resolve/read-version.ts'
import { scanHiddenText } from '../resolve/scan-hidden-text.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import { type ConsentRecord, readGrants, scopeConsentKey } from '../state/grants.ts'
import { readHostRecords } from '../state/host-records.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import { readLedger } from '../state/ledger.ts'
import { isCapabilityId } from '../state/name-rules.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { withStaging } from '../transaction/staging.ts'
import { shownBaseline } from '../trust/consent/consent-baseline.ts'
import type { Disclosure } from '../trust/disclosure.ts'
import { createDisclosure } from '../trust/disclosure.ts'
import type { FileDiff } from '../trust/file-diff.ts'
import { readCode } from '../trust/read-code.ts'
import { unknownIdError } from './not-installed.ts'
import { fetchedPolicyView, type PolicyView, recordedPolicyView } from './policy-view.ts'

/** What `capability info` reports about an installed capability, or about what a spec would install. */
export interface InfoAnswer {
  /** `id`: what is installed under it, in each scope. `spec`: what it would install. */
  readonly asked: 'id' | 'spec'
  readonly rows: readonly Row[]
  readonly details: readonly CapabilityDetails[]
  /** The policy verdict on a spec, and the lists that were read; null for something installed. */
  readonly policy: PolicyView | null
  readonly warnings: readonly Diagnostic[]
}

export interface InfoRequest {
  readonly target: string
  /** Null: every scope. For a spec: null means the global one. */
  readonly scope: ScopeName | null
  /** Read the text of every file too. */
  readonly files?: boolean
  /** For a spec: what install is told to do with it. */
  readonly preview?: PreviewOptions
}

/** What decides what a spec would install. */
export interface PreviewOptions {
  readonly integrity: string | null
  readonly allowHttp: boolean
  /** As in `PrepareCompatibleRequest`. */
  readonly downgrade: boolean | null
}

const NO_PREVIEW_OPTIONS: PreviewOptions = { integrity: null, allowHttp: false, downgrade: null }

/**
 * Writes only the cache. A valid id is an id, since no spec is a single word; anything else is a spec.
 * @throws STATE_NOT_INSTALLED, SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, MANIFEST_INVALID, OVERLAY_INCOMPATIBLE
 */
export const info = async (
  context: Context,
  { target, scope, files = false, preview }: InfoRequest,
): Promise<InfoAnswer> => {
  const loaded = await loadRegistryFor(context)
  if (!isCapabilityId(target))
    return {
      asked: 'spec',
      rows: [],
      ...(await previewInstall(context, target, {
        scope: scope ?? 'global',
        files,
        ...NO_PREVIEW_OPTIONS,
        ...preview,
      })),
    }
  if (preview !== undefined)
    throw new GsdError('USAGE_CONFLICT', `${quote(target)} is an id, and these flags are for a spec`, {
      hint: `for a folder write ./${target}`,
    })
  const rows = loaded.rows.filter((row) => row.id === target && (scope === null || row.scope === scope))
  if (rows.length === 0)
    throw unknownIdError(target, loaded.rows, `for a folder write ./${target}; gsd capability list shows what there is`)
  return {
    asked: 'id',
    rows,
    policy: null,
    details: await Promise.all(
      rows.flatMap((row) => installedDetails(context, loaded, row)).map((each) => withTexts(each, files)),
    ),
    warnings: loaded.warnings.filter(({ id }) => id === target || id === undefined),
  }
}

const installedDetails = (context: Context, { input }: LoadedRegistry, row: Row): CapabilityDetails[] => {
  const paths = scopesOf(context).find(({ scope }) => scope === row.scope)
  if (paths !== undefined) return overlayDetails(context, paths, row.id)
  const found = input.firstParty.find(({ manifest }) => manifest.id === row.id)
  return found === undefined ? [] : [firstPartyDetails(found)]
}

const firstPartyDetails = ({ manifest }: Candidate): CapabilityDetails => ({
  ...createDisclosure({ manifest, files: [], scope: 'global', spec: 'first-party', digest: '', edits: [] }),
  entry: null,
  policy: null,
  fileList: [],
})

/** Inactive ones too: what one would do is worth knowing before it is trusted. */
const overlayDetails = (context: Context, paths: ScopePaths, id: string): CapabilityDetails[] => {
  const found = readBundle(context, paths, id)
  if (found === null) return []
  const { dir, tree, manifest } = found
  const digest = bundleDigest(tree.files, tree.manifest)
  const agreed = findGrant(context, paths, id)
  const ledger = readLedger(context.disk, paths)
  const hosts = readHostRecords(context.disk, paths)
  const entry = ledger.state === 'ok' ? (ledger.value.capabilities.get(id) ?? null) : null
  const files = hosts.state === 'ok' ? [...hosts.value.files] : []
  const disclosure = createDisclosure({
    manifest,
    files: tree.files,
    scope: paths.scope,
    spec: entry?.spec ?? join('.gsd', 'capabilities', id),
    digest,
    hidden: scanHiddenText(context.disk, { dir, files: tree.files, manifest: tree.manifest }),
    baseline: agreed === null || agreed.digest === digest ? null : shownBaseline(agreed),
    edits: files
      .filter(([, record]) => Object.hasOwn(record.entries, id))
      .map(([file, { runtime }]) => ({ runtime, file })),
    readFile: versionReader(context.disk, dir),
  })
  const policy = entry === null ? null : recordedPolicyView(context, entry.spec, paths.realRoot)
  return [{ ...disclosure, entry, policy, fileList: fileListOf(tree.files) }]
}

const findGrant = ({ disk, user }: Context, paths: ScopePaths, id: string): ConsentRecord | null => {
  const consents = readGrants(disk, user)
  return consents.state === 'ok' ? (consents.value.byKey.get(scopeConsentKey(paths, id)) ?? null) : null
}

const readBundle = ({ disk }: Context, { capabilities, trusted }: ScopePaths, id: string) => {
  const place = join(capabilities, id)
  if (!pathExists(disk, place)) return null
  const dir = trusted ? realPathOrSelf(disk, place) : place
  const tree = hashTree(dir, disk)
  if (tree.manifest === null) return null
  const { manifest } = checkManifest(parseManifest(tree.manifest, { file: join(dir, 'capability.json') }), {
    forLoading: true,
  })
  return manifest === null ? null : { dir, tree: { ...tree, manifest: tree.manifest }, manifest }
}

/** In a home the user may have linked a bundle's folder. */
const realPathOrSelf = (disk: Disk, path: string): string => {
  try {
    return disk.realpathSync(path)
  } catch {
    return path
  }
}

const withTexts = async (details: CapabilityDetails, files: boolean): Promise<CapabilityDetails> => {
  if (!files || details.listFiles === undefined) return details
  const { readBefore: _readBefore, ...whole } = details
  return { ...details, texts: (await readCode(whole, details.listFiles())).files }
}

export interface Preview {
  /** Empty if policy refuses the source. */
  readonly details: readonly CapabilityDetails[]
  readonly policy: PolicyView
  readonly warnings: readonly Diagnostic[]
}

/** What a spec would install, prepared in the cache. @throws what `prepare` throws, except POLICY_REFUSED */
export const previewInstall = (
  context: Context,
  text: string,
  {
    scope,
    files,
    integrity,
    allowHttp,
    downgrade,
  }: PreviewOptions & { readonly scope: ScopeName; readonly files: boolean },
): Promise<Preview> => {
  const paths = scopePathsOf(context, scope)
  return withStaging(context, async ({ dir }) => {
    try {
      const request = {
        specText: text,
        paths,
        into: join(dir, '0'),
        integrity,
        allowHttp,
        downgrade,
      }
      const {
        manifest,
        staged,
        recordedSpec: spec,
        digest,
        hidden,
        warnings,
      } = await prepareCompatible(context, request)
      const disclosure = createDisclosure({
        manifest,
        files: staged.files,
        scope,
        spec,
        digest,
        edits: [],
        hidden,
        readFile: versionReader(context.disk, staged.dir),
      })
      const shown = { ...disclosure, entry: null, fileList: fileListOf(staged.files), policy: null }
      const details = [await withTexts(shown, files)]
      return { details, policy: fetchedPolicyView(context, text, null), warnings }
    } catch (error) {
      if (!(error instanceof GsdError) || error.code !== 'POLICY_REFUSED') throw error
      return { details: [], policy: fetchedPolicyView(context, text, error), warnings: [] }
    }
  })
}

/** One capability in full: its disclosure, its ledger entry and its files. */
export interface CapabilityDetails extends Disclosure {
  readonly entry: LedgerEntry | null
  /** The policy verdict on the source of an installed capability; null without a source, or for a catalog. */
  readonly policy: PolicyView | null
  /** Only with `files`: every file with its text. */
  readonly texts?: readonly FileDiff[]
  readonly fileList: readonly { readonly path: string; readonly size: number; readonly executable: boolean }[]
}

/** Files for display. */
export const fileListOf = (files: readonly BundleFile[]): CapabilityDetails['fileList'] =>
  files.map(({ path, size, executable }) => ({ path, size, executable }))
