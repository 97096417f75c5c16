import lt from 'semver/functions/lt.js'
import satisfies from 'semver/functions/satisfies.js'
import valid from 'semver/functions/valid.js'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import type { LedgerEntry, Resolved } from '../state/ledger.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { canonicalJson } from '../trust/signature.ts'
import { prepareCompatible } from './prepare-compatible.ts'
import type { Prepared } from './prepare.ts'

export interface PrepareUpdateRequest {
  readonly id: string
  readonly entry: LedgerEntry
  readonly paths: ScopePaths
  /** Folder that does not exist yet. */
  readonly into: string
  readonly allowHttp: boolean
  /** `--downgrade`: an older version is welcome. */
  readonly downgrade?: boolean
}

/**
 * What the recorded spec of an installed capability gives now.
 * @throws STATE_OTHER_SOURCE if it is another capability, and what `prepareCompatible` throws
 */
export const prepareUpdate = async (
  context: Context,
  { id, entry, paths, into, allowHttp, downgrade }: PrepareUpdateRequest,
): Promise<Prepared> => {
  const spec = parseSpec(entry.spec, { cwd: paths.realRoot, home: context.home, allowHttp })
  const prepared = await prepareCompatible(context, {
    specText: entry.spec,
    cwd: paths.realRoot,
    paths,
    into,
    integrity: null,
    allowHttp,
    installed: entry.version,
    downgrade: downgrade === true || wasDowngraded(spec, entry.resolved) ? true : null,
  })
  if (prepared.manifest.id === id) return prepared
  throw new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(entry.spec)} now contains ${quote(prepared.manifest.id)} instead of ${quote(id)}`,
    {
      hint: `gsd capability remove ${id} --scope ${paths.scope}, then install ${prepared.manifest.id}`,
      details: { id, found: prepared.manifest.id },
    },
  )
}

/**
 * Whether a source leads back to an older version: its newest tag was deleted, or its dist-tag moved back. The user's own
 * folders and archives do not count, nor does a version that was chosen because it fits the host.
 */
export const isWayBack = (
  { version }: Pick<LedgerEntry, 'version'>,
  { spec, manifest, downgradedFrom }: Pick<Prepared, 'spec' | 'manifest' | 'downgradedFrom'>,
): boolean => {
  const isOwn = spec.kind === 'local' || (spec.kind === 'tarball' && spec.at.kind === 'file')
  return !isOwn && downgradedFrom === undefined && valid(version) !== null && lt(manifest.version, version)
}

/** Whether the ledger names another commit, version, tag or integrity than what was fetched. */
export const hasOtherLocator = (
  entry: LedgerEntry,
  { resolved, integrity }: Pick<Prepared, 'resolved' | 'integrity'>,
): boolean => entry.integrity !== integrity || canonicalJson(entry.resolved) !== canonicalJson(resolved)

/**
 * Whether a pinned spec was downgraded (`--downgrade`): the recorded version is not the one in the spec. The user agreed to
 * that, so an update may do it again. False for specs that do not pin a version.
 */
export const wasDowngraded = (spec: Spec, { commit, tag, version }: Resolved): boolean => {
  switch (spec.kind) {
    case 'git':
      if (spec.ref === null || spec.ref.kind === 'semver') return false
      return spec.ref.kind === 'sha' ? commit !== spec.ref.sha : tag !== undefined && tag !== spec.ref.name
    case 'npm':
      return spec.selector?.kind === 'version' && isOutside(version, spec.selector.text)
    case 'catalog':
      return spec.range !== null && isOutside(version, spec.range)
    case 'tarball':
    case 'local':
      return false
  }
}

const isOutside = (version: string | undefined, wanted: string): boolean =>
  version !== undefined && !satisfies(version, wanted, { includePrerelease: true })
