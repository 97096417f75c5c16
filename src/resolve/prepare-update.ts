import satisfies from 'semver/functions/satisfies.js'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import type { LedgerEntry, Resolved } from '../state/ledger.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { prepareCompatible } from './prepare-compatible.ts'
import type { Prepared } from './prepare.ts'

export interface PrepareUpdateRequest {
  readonly id: string
  readonly entry: LedgerEntry
  readonly paths: ScopePaths
  /** Folder that does not exist yet. */
  readonly into: string
  readonly allowHttp: boolean
}

/**
 * What the recorded spec of an installed capability gives now.
 * @throws STATE_OTHER_SOURCE if it is another capability, and what `prepareCompatible` throws
 */
export const prepareUpdate = async (
  context: Context,
  { id, entry, paths, into, allowHttp }: PrepareUpdateRequest,
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
    downgrade: wasDowngraded(spec, entry.resolved) ? true : null,
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
