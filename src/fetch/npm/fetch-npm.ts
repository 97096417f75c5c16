import { basename, join } from 'node:path'
import { parseIntegrity } from '../../bundle/integrity.ts'
import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import { quote } from '../../redact.ts'
import { formatSpec } from '../../spec/format-spec.ts'
import type { NpmSpec } from '../../spec/spec.ts'
import {
  adoptArtifact,
  type Artifact,
  findArtifact,
  findKnownIntegrity,
  MAX_ARCHIVE_BYTES,
  recordIntegrity,
} from '../cache/artifacts.ts'
import type { FetchContext, FetchResult } from '../fetcher.ts'
import { PIN_FIRST_HINT, refuseOffline } from '../offline.ts'
import { npmError } from './npm-error.ts'
import { findPackument, type PackageVersion, parsePackument } from './packument.ts'
import { type Npm, withNpm } from './run-npm.ts'

/**
 * Fetches the tarball of a package into the cache, from the registry that the user's npm is configured for. None of its
 * scripts run, and no dependency is fetched. npm checks the tarball against the registry's `dist.integrity`, which is also
 * returned, so that our own rules apply to it.
 * @throws GsdError FETCH_*, INTEGRITY_MISMATCH, ARCHIVE_TOO_LARGE, POLICY_*, STATE_*, INTERRUPTED
 */
export const fetchNpm = async (spec: NpmSpec, context: FetchContext): Promise<FetchResult> => {
  context.checkPolicy?.({ kind: 'npm', name: spec.name, catalog: context.viaCatalog })
  const kept = await findCached(spec, context)
  if (kept !== null) return kept
  refuseOffline(context, formatSpec(spec), PIN_FIRST_HINT)
  context.report({ kind: 'progress', text: `npm: fetching ${spec.name}` })
  return withNpm(context, spec.name, (npm) => pack(npm, spec, context))
}

/** A cached exact version, by its known integrity, or offline by its last one. */
const findCached = async (
  spec: NpmSpec,
  { disk, cache, offline, expectedIntegrity }: FetchContext,
): Promise<FetchResult | null> => {
  if (spec.selector?.kind !== 'version') return null
  const version = spec.selector.text
  const integrity =
    expectedIntegrity ?? (offline ? findKnownIntegrity(disk, cache, cacheKey(spec.name, version)) : null)
  const artifact = integrity === null ? null : await findArtifact(disk, cache, integrity)
  if (artifact === null) return null
  const found = resultOf(spec, version, artifact, null)
  return expectedIntegrity === null ? { ...found, isRemembered: true } : found
}

const cacheKey = (name: string, version: string): string => `npm:${name}@${version}`

const pack = async (npm: Npm, spec: NpmSpec, { disk, cache }: FetchContext): Promise<FetchResult> => {
  const { name } = spec
  const ran = await npm.run(['pack', `--pack-destination=${npm.dir}`], [`${name}@${spec.selector?.text ?? 'latest'}`])
  const packument = findPackument(disk, npm.dir, name)
  if (ran.status !== 0) throw npmError(ran, formatSpec(spec), packument)
  const { version, filename } = parsePackOutput(ran.stdout, spec)
  const said = packument?.versions.get(version) ?? (await requestVersion(npm, spec, version))
  checkTarball(said, spec)
  checkStatedIntegrity(said, `npm:${name}@${version}`)
  const file = join(npm.dir, filename)
  const { size } = withDiskErrors('inspect', file, () => disk.lstatSync(file))
  if (size > MAX_ARCHIVE_BYTES) throw tooLarge(spec, size)
  const artifact = await adoptArtifact(disk, cache, file)
  recordIntegrity(disk, cache, cacheKey(name, version), artifact.integrity)
  return resultOf(spec, version, artifact, said)
}

/** `npm pack --json` prints a list of what it packed; newer versions an object. */
const parsePackOutput = (stdout: Buffer, spec: NpmSpec): { readonly version: string; readonly filename: string } => {
  const [packed] = Object.values(parseJson(stdout) ?? {}) as readonly { [key: string]: unknown }[]
  const { name, version, filename } = packed ?? {}
  if (
    name !== spec.name ||
    typeof version !== 'string' ||
    typeof filename !== 'string' ||
    filename !== basename(filename)
  ) {
    throw new GsdError('FETCH_NPM', `npm returned something other than the package ${quote(spec.name)}`, {
      hint: `try it yourself: npm pack ${spec.name}`,
    })
  }
  return { version, filename }
}

/** A second request, for registries that forbid npm to cache the first response. */
const requestVersion = async (npm: Npm, spec: NpmSpec, version: string): Promise<PackageVersion> => {
  const ran = await npm.run(['view'], [`${spec.name}@${version}`])
  if (ran.status !== 0) throw npmError(ran, formatSpec(spec), null)
  const answer = parseJson(ran.stdout)
  const found = parsePackument({ name: spec.name, versions: { [version]: answer } }, spec.name)?.versions.get(version)
  return found ?? { integrity: null, shasum: null, tarball: null, deprecated: null }
}

const parseJson = (bytes: Buffer): object | null => {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** npm also accepts a folder, a file or a repository as the location of a tarball. */
const checkTarball = ({ tarball }: PackageVersion, { name }: NpmSpec): void => {
  if (tarball === null || /^https?:\/\//i.test(tarball)) return
  throw new GsdError(
    'FETCH_NPM',
    `the registry names ${quote(tarball)} for ${quote(name)}, which is not a tarball of a registry`,
    {
      hint: 'tell whoever runs the registry',
    },
  )
}

/** Exactly one sha512; npm itself is satisfied with the weakest (contract, "Integrity and digest"). */
const checkStatedIntegrity = ({ integrity, shasum }: PackageVersion, named: string): void => {
  const refused = (what: string, cause?: unknown): GsdError =>
    new GsdError('INTEGRITY_STATED', `the registry states ${what} for ${quote(named)}; exactly one sha512 is needed`, {
      hint: 'do not install it: ask whoever runs the registry, or publish the package again',
      cause,
    })
  if (integrity === null && shasum !== null) throw refused('only a sha1')
  if (integrity === null) return
  try {
    parseIntegrity(integrity)
  } catch (error) {
    throw refused(quote(integrity), error)
  }
}

const tooLarge = (spec: NpmSpec, size: number): GsdError =>
  new GsdError(
    'ARCHIVE_TOO_LARGE',
    `${quote(formatSpec(spec))} is ${formatSize(size)}; an archive has at most ${formatSize(MAX_ARCHIVE_BYTES)}`,
    {
      hint: 'a bundle holds text and small scripts; leave out everything else',
    },
  )

/** `said`: the registry's data about the version; null for a cached one. */
const resultOf = (spec: NpmSpec, version: string, { file }: Artifact, said: PackageVersion | null): FetchResult => ({
  source: { kind: 'archive', file, displayName: `npm:${spec.name}@${version}` },
  path: null,
  resolved: { kind: 'npm', version },
  statedIntegrities: said?.integrity == null ? [] : [{ value: said.integrity, statedBy: 'the npm registry' }],
  notes: said === null ? [] : notesOf(spec.name, version, said),
})

const notesOf = (name: string, version: string, { integrity, deprecated }: PackageVersion): readonly string[] => [
  ...(integrity === null
    ? [`the registry states no integrity for ${quote(`${name}@${version}`)}, so only the transfer is protected`]
    : []),
  ...(deprecated === null ? [] : [`${quote(`${name}@${version}`)} is deprecated: ${deprecated}`]),
]
