import type { StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { parseIntegrity } from '../bundle/integrity.ts'
import { stageBundle } from '../bundle/stage-bundle.ts'
import { verifyArtifact } from '../bundle/verify-artifact.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { fetchSpec } from '../fetch/fetch-spec.ts'
import type { CatalogExpectation, FetchResult } from '../fetch/fetcher.ts'
import { checkHookScripts } from '../host/hooks/check-hook-scripts.ts'
import { type EnginesMatch, matchEngines } from '../manifest/engines.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { formatSpecForLedger } from '../spec/format-spec.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import { readLedger, type Resolved } from '../state/ledger.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { HiddenFinding } from '../trust/hidden-text/hidden-finding.ts'
import { listSurfaces } from '../trust/list-surfaces.ts'
import { surfaceSignature } from '../trust/signature.ts'
import type { Surface } from '../trust/surface.ts'
import { checkOwnIntegrity, readStagedManifest, refuseDiagnostics } from './check-staged.ts'
import { scanHiddenText } from './scan-hidden-text.ts'
import { scopeFetchContext } from './scope-fetch-context.ts'

/** A capability that was fetched, verified, unpacked and checked, and is not installed yet. */
export interface Prepared {
  readonly spec: Spec
  /** The spec as the ledger keeps it. */
  readonly recordedSpec: string
  readonly resolved: Resolved
  readonly integrity: string | null
  readonly staged: StagedBundle
  readonly manifest: Manifest
  readonly digest: string
  readonly surfaces: readonly Surface[]
  /** Invisible characters in its text files. */
  readonly hidden: readonly HiddenFinding[]
  readonly signature: string
  /** Whether this host fits; null without `engines`. */
  readonly engines: EnginesMatch | null
  /** Version the spec names, if this one was chosen because it fits the host. */
  readonly downgradedFrom?: string
  /** Installed only because another one requires it. */
  readonly auto?: true
  readonly warnings: readonly Diagnostic[]
}

export interface PrepareRequest {
  /** What the user typed. */
  readonly specText: string
  /** Base folder for a relative path; default: the working directory. */
  readonly cwd?: string
  readonly paths: ScopePaths
  /** Fetch exactly this; the text is still what is recorded. */
  readonly pinned?: Spec
  /** The same for the repository of a catalog entry. */
  readonly pinnedCommit?: string | null
  /** Folder that does not exist yet. */
  readonly into: string
  readonly integrity: string | null
  readonly allowHttp: boolean
}

/**
 * Turns one spec into a bundle that could be installed: parse → fetch → verify → audit and unpack → read. Whether the host
 * fits is only reported. Nothing outside `into` and the cache changes.
 * @throws SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, POLICY_*, MANIFEST_INVALID
 */
export const prepare = async (context: Context, request: PrepareRequest): Promise<Prepared> => {
  const { paths } = request
  const spec = parseSpec(request.specText, {
    cwd: request.cwd ?? context.cwd,
    home: context.home,
    allowHttp: request.allowHttp,
  })
  const stated = statedIntegrity(spec, request.integrity)
  const { allowHttp, pinnedCommit = null } = request
  const fetching = scopeFetchContext(context, paths, { allowHttp, expectedIntegrity: stated, pinnedCommit })
  const fetched = await fetchSpec(request.pinned ?? spec, fetching)
  const artifact = artifactOf(fetched, stated)
  const verified =
    artifact === null ? null : await verifyArtifact(artifact.file, artifact.expected, undefined, artifact.displayName)
  const staged = await stageBundle(fetched.source, {
    into: request.into,
    disk: context.disk,
    path: fetched.path,
    id: spec.kind === 'catalog' ? spec.id : null,
    signal: context.signal,
    integrity: verified,
  })
  const { manifest, warnings } = readStagedManifest(staged, request.specText)
  const digest = bundleDigest(staged.files, staged.manifest)
  refuseDiagnostics(
    [...checkOwnIntegrity(manifest, digest), ...checkHookScripts(manifest, staged.files)],
    request.specText,
  )
  if (fetched.isRemembered === true && stated === null) requireLedgerDigest(context, request, manifest.id, digest)
  if (fetched.catalogExpectation !== undefined) checkCatalogExpectation(fetched.catalogExpectation, manifest, digest)
  const surfaces = listSurfaces(manifest, staged.files)
  return {
    spec,
    recordedSpec: formatSpecForLedger(spec, paths.realRoot),
    resolved: fetched.resolved,
    integrity: staged.integrity,
    staged,
    manifest,
    digest,
    surfaces,
    hidden: scanHiddenText(context.disk, staged),
    signature: surfaceSignature(surfaces),
    engines: judgeAllEngines(manifest, fetched.catalogExpectation, context),
    warnings: [...noteWarnings([...fetched.notes, ...staged.notes], manifest.id), ...warnings],
  }
}

/** What the cache alone remembers is used only where the ledger records the same content (security, "Caches"). */
const requireLedgerDigest = (
  { disk }: Context,
  { paths, specText }: PrepareRequest,
  id: string,
  digest: string,
): void => {
  const ledger = readLedger(disk, paths)
  if (ledger.state === 'ok' && ledger.value.capabilities.get(id)?.digest === digest) return
  throw new GsdError('FETCH_OFFLINE', `${quote(specText)} is only remembered in the cache, and nothing confirms it`, {
    hint: 'run it without --offline, add --integrity, or name a commit with #sha:',
  })
}

const statedIntegrity = (spec: Spec, text: string | null): string | null => {
  if (text === null) return null
  if (spec.kind !== 'git' && spec.kind !== 'local') return parseIntegrity(text)
  throw noArtifact(spec.kind)
}

const noArtifact = (kind: 'git' | 'local'): GsdError => {
  const instead = kind === 'git' ? 'pin the commit with #sha:<40 hex>' : 'pack the folder and install the archive'
  return new GsdError('INTEGRITY_NO_ARTIFACT', `--integrity needs an archive, and a ${kind} source has none`, {
    hint: `${instead}, or state "integrity" in its capability.json (gsd capability pack --write-integrity)`,
  })
}

/**
 * The archive and every integrity it must have; null if there is nothing to verify. A catalog may point to a source without
 * an archive, so a stated integrity is checked here again.
 */
const artifactOf = ({ source, statedIntegrities }: FetchResult, stated: string | null) => {
  if (source.kind !== 'archive') {
    if (stated !== null) throw noArtifact(source.kind === 'folder' ? 'local' : 'git')
    return null
  }
  const expected =
    stated === null ? statedIntegrities : [...statedIntegrities, { value: stated, statedBy: '--integrity' }]
  return expected.length === 0 ? null : { ...source, expected }
}

/** What a catalog states about a version must be true. */
const checkCatalogExpectation = (
  { from, id, version, digest }: CatalogExpectation,
  manifest: Manifest,
  found: string,
): void => {
  const broken = (what: string, stated: string, is: string): GsdError =>
    new GsdError('INTEGRITY_DIGEST_MISMATCH', `${from} states the ${what} ${quote(stated)}, but it is ${quote(is)}`, {
      hint: 'report it to the maintainer of the catalog; nothing was installed',
      details: { what, stated, found: is },
    })
  if (manifest.id !== id) throw broken('id', id, manifest.id)
  if (manifest.version !== version) throw broken('version', version, manifest.version)
  if (digest !== null && digest !== found) throw broken('digest', digest, found)
}

/** The host must fit both the manifest and the catalog entry. */
const judgeAllEngines = (
  { engines }: Manifest,
  promise: CatalogExpectation | undefined,
  { hostVersion: { version } }: Context,
): EnginesMatch | null => {
  const own = matchEngines(engines, version)
  const stated = promise?.engines == null ? null : matchEngines({ gsd: promise.engines }, version)
  return own === null || (own.ok && stated?.ok === false) ? stated : own
}

const noteWarnings = (notes: readonly string[], id: string): Diagnostic[] =>
  notes.map((note) => diagnostic('warning', 'ARCHIVE_LEFT_OUT', note, { id }))
