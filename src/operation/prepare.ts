import { join } from 'node:path'
import type { StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { parseIntegrity } from '../bundle/integrity.ts'
import { stageBundle } from '../bundle/stage.ts'
import { verifyArtifact } from '../bundle/verify.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { errorOfDiagnostic } from '../diagnostic-error.ts'
import { GsdError } from '../errors.ts'
import { fetchContextOf } from '../fetch/fetch-context.ts'
import { fetchSpec } from '../fetch/fetch-spec.ts'
import type { Fetched } from '../fetch/fetched.ts'
import { unrunnableHooks } from '../host/unrunnable-hooks.ts'
import { checkBundle } from '../manifest/bundle-files.ts'
import { checkManifest } from '../manifest/check.ts'
import { judgeEngines } from '../manifest/engines.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { readManifest } from '../manifest/read.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import { recordSpec } from '../spec/record-spec.ts'
import type { Spec } from '../spec/spec.ts'
import type { Resolved } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { surfaceSignature } from '../trust/signature.ts'
import type { Surface } from '../trust/surface.ts'
import { policyJudge } from '../trust/policy.ts'
import { surfacesOf } from '../trust/surfaces-of.ts'
import { policyOf } from './policy-of.ts'
import type { HiddenFinding } from '../trust/hidden-finding.ts'
import { scanHidden } from './scan-hidden.ts'
import { wrongIntegrity } from './bundle-faults.ts'

/** A capability that was fetched, verified, unpacked and found sound, and is not installed yet. */
export interface Prepared {
  readonly spec: Spec
  /** The spec as the ledger keeps it. */
  readonly recorded: string
  readonly resolved: Resolved
  readonly integrity: string | null
  readonly staged: StagedBundle
  readonly manifest: Manifest
  readonly digest: string
  readonly surfaces: readonly Surface[]
  /** Characters in its text files that a reader does not see. */
  readonly hidden: readonly HiddenFinding[]
  readonly signature: string
  /** Nobody asked for it by name: another one requires it. */
  readonly auto?: true
  readonly warnings: readonly Diagnostic[]
}

export interface PrepareRequest {
  /** What the user typed. */
  readonly text: string
  /** Folder from which a relative path in it starts; default: the working directory. */
  readonly cwd?: string
  readonly places: ScopePlaces
  /** Folder that does not exist yet. */
  readonly into: string
  readonly integrity: string | null
  readonly allowHttp: boolean
}

/**
 * One spec on its way from text to a bundle that could be installed: parse → fetch → verify → audit and unpack → read →
 * gate. Nothing outside `into` and the cache changes.
 * @throws SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, MANIFEST_INVALID, OVERLAY_INCOMPATIBLE
 */
export const prepare = async (context: Context, request: PrepareRequest): Promise<Prepared> => {
  const { places } = request
  const spec = parseSpec(request.text, {
    cwd: request.cwd ?? context.cwd,
    home: context.home,
    allowHttp: request.allowHttp,
  })
  const stated = statedIntegrity(spec, request.integrity)
  const roots = [join(places.realRoot, '.gsd'), context.user.gsd]
  const policy = policyOf(context)
  const allow = policy.lists.length === 0 ? null : policyJudge(policy)
  const { allowHttp } = request
  const fetched = await fetchSpec(spec, fetchContextOf(context, { roots, allowHttp, expected: stated, allow }))
  const integrity = await verify(fetched, stated)
  const staged = await stageBundle(fetched.source, {
    into: request.into,
    disk: context.disk,
    path: fetched.path,
    id: spec.kind === 'catalog' ? spec.id : null,
    signal: context.signal,
    integrity,
  })
  const { manifest, warnings } = readStaged(staged, request.text)
  const digest = bundleDigest(staged.files, staged.manifest)
  refuseFaults([...wrongIntegrity(manifest, digest), ...unrunnableHooks(manifest, staged.files)], request.text)
  gate(manifest, context)
  const surfaces = surfacesOf(manifest, staged.files)
  return {
    spec,
    recorded: recordSpec(spec, places.realRoot),
    resolved: fetched.resolved,
    integrity,
    staged,
    manifest,
    digest,
    surfaces,
    hidden: scanHidden(context.disk, staged),
    signature: surfaceSignature(surfaces),
    warnings: [...notesOf([...fetched.notes, ...staged.notes], manifest.id), ...warnings],
  }
}

const statedIntegrity = (spec: Spec, text: string | null): string | null => {
  if (text === null) return null
  if (spec.kind !== 'git' && spec.kind !== 'local') return parseIntegrity(text)
  const instead = spec.kind === 'git' ? 'pin the commit with #sha:<40 hex>' : 'pack the folder and install the archive'
  throw new GsdError(
    'INTEGRITY_NO_ARTIFACT',
    `--integrity is over an archive's bytes, and a ${spec.kind} source has no archive`,
    {
      hint: `${instead}, or state "integrity" in its capability.json (gsd capability pack --write-integrity)`,
    },
  )
}

const verify = async ({ source, known }: Fetched, stated: string | null): Promise<string | null> => {
  if (source.kind !== 'archive') return null
  const expected = stated === null ? known : [...known, { value: stated, from: '--integrity' }]
  return verifyArtifact(source.file, expected, undefined, source.named)
}

/** Reads the staged manifest by every rule. @throws MANIFEST_INVALID with all findings in `details.diagnostics` */
export const readStaged = (
  staged: StagedBundle,
  named: string,
): { readonly manifest: Manifest; readonly warnings: readonly Diagnostic[] } => {
  const text = readManifest(staged.manifest, { file: 'capability.json' })
  const { manifest, diagnostics } = checkManifest(text, { folder: null })
  const files = new Map(staged.files.map((file) => [file.path, file]))
  const inBundle = manifest === null ? [] : checkBundle(manifest, files, { text })
  const all = [...diagnostics, ...inBundle]
  const errors = all.filter(({ severity }) => severity === 'error')
  if (manifest !== null && errors.length === 0) return { manifest, warnings: all }
  throw invalid(named, errors, all)
}

const invalid = (named: string, errors: readonly Diagnostic[], all: readonly Diagnostic[]): GsdError =>
  new GsdError(
    'MANIFEST_INVALID',
    `the capability.json of ${quote(named)} breaks ${errors.length === 1 ? 'a rule' : `${errors.length} rules`}`,
    {
      hint: 'it has to be mended where it comes from; gsd capability validate shows every fault with its place',
      details: { diagnostics: all },
    },
  )

/** @throws the first fault, as an error of its own code */
const refuseFaults = ([first, ...more]: readonly Diagnostic[], named: string): void => {
  if (first === undefined) return
  const message = `${quote(named)} cannot be installed: ${first.message}`
  throw errorOfDiagnostic({ ...first, message }, 'MANIFEST_INVALID', { diagnostics: [first, ...more] })
}

const gate = (manifest: Manifest, { hostVersion }: Context): void => {
  const verdict = judgeEngines(manifest.engines, hostVersion.version)
  if (verdict === null || verdict.ok) return
  throw new GsdError(
    'OVERLAY_INCOMPATIBLE',
    `${quote(manifest.id)} ${manifest.version} needs GSD ${quote(verdict.range)}, and this is ${verdict.version} (${hostVersion.from})`,
    { hint: 'install a version made for this GSD, or update GSD', details: { ...verdict, from: hostVersion.from } },
  )
}

const notesOf = (notes: readonly string[], id: string): Diagnostic[] =>
  notes.map((note) => diagnostic('warning', 'ARCHIVE_LEFT_OUT', note, { id }))
