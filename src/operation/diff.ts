import { join, resolve } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { stageBundle } from '../bundle/stage-bundle.ts'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { expandHome } from '../host/runtimes/resolve-home.ts'
import { prepareCompatible } from '../resolve/prepare-compatible.ts'
import { prepareUpdate } from '../resolve/prepare-update.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { versionReader } from '../resolve/read-version.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import { readInstalled, recordedFiles } from '../state/installed.ts'
import { requireLedgerEntry } from '../state/ledger.ts'
import { isCapabilityId } from '../state/name-rules.ts'
import { readScopeState } from '../state/scope-state.ts'
import { withStaging } from '../transaction/staging.ts'
import { compareVersions, type FileDiff } from '../trust/file-diff.ts'

export interface DiffRequest {
  /** An installed capability, or a folder. */
  readonly first: string
  /** A spec, or a folder; null: what an update of the capability would bring. */
  readonly second: string | null
  /** Scope of an installed capability. */
  readonly scope: ScopeName
  readonly allowHttp: boolean
}

export interface DiffAnswer {
  /** Specs, or folders as they were typed. */
  readonly before: string
  readonly after: string
  /** Files that differ, sorted; at most {@link MAX_FILES}. */
  readonly files: readonly FileDiff[]
  /** Files that differ beyond those. */
  readonly more: number
}

const MAX_FILES = 1000

/**
 * Compares two bundles (contract, `capability diff`). Writes only the cache.
 * @throws STATE_NOT_INSTALLED, SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, MANIFEST_INVALID
 */
export const diff = async (context: Context, request: DiffRequest): Promise<DiffAnswer> =>
  withStaging(context, async ({ dir }) => {
    const [before, after] = isCapabilityId(request.first)
      ? await installedPair(context, request, join(dir, '0'))
      : [
          await stagedFolder(context, request.first, join(dir, '0')),
          await stagedFolder(context, request.second ?? '.', join(dir, '1')),
        ]
    const changed = changedPaths(before.files, after.files)
    const [readOld, readNew] = [versionReader(context.disk, before.dir), versionReader(context.disk, after.dir)]
    const [old, current] = [pathSet(before.files), pathSet(after.files)]
    const files: FileDiff[] = []
    for (const path of changed.slice(0, MAX_FILES))
      files.push(
        await compareVersions(path, old.has(path) ? readOld(path) : null, current.has(path) ? readNew(path) : null),
      )
    return {
      before: before.source,
      after: after.source,
      files,
      more: Math.max(0, changed.length - MAX_FILES),
    }
  })

interface Bundle {
  readonly source: string
  readonly dir: string
  readonly files: readonly BundleFile[]
}

const installedPair = async (
  context: Context,
  { first: id, second, scope, allowHttp }: DiffRequest,
  into: string,
): Promise<readonly [Bundle, Bundle]> => {
  const paths = scopePathsOf(context, scope)
  const state = readScopeState(context, paths)
  const entry = requireLedgerEntry(state.ledger.capabilities, id, paths)
  const installed = readInstalled(context, paths, state, id)
  const request = { specText: second ?? '', paths, into, integrity: null, allowHttp, downgrade: null }
  const prepared =
    second === null
      ? await prepareUpdate(context, { id, entry, paths, into, allowHttp })
      : await prepareCompatible(context, request)
  const files = recordedFiles(installed)
  return [{ source: entry.spec, dir: installed.dir, files }, preparedBundle(prepared)]
}

const preparedBundle = ({ recordedSpec, staged }: Prepared): Bundle => ({
  source: recordedSpec,
  dir: staged.dir,
  files: staged.files,
})

/** The same set of files that an install of the folder would take. */
const stagedFolder = async ({ cwd, home, disk, signal }: Context, folder: string, into: string): Promise<Bundle> => {
  const dir = resolve(cwd, expandHome(folder, home))
  const staged = await stageBundle(
    { kind: 'folder', dir },
    { into, disk, path: null, id: null, signal, integrity: null },
  )
  return { source: folder, dir: staged.dir, files: staged.files }
}

const pathSet = (files: readonly BundleFile[]): ReadonlySet<string> => new Set(files.map(({ path }) => path))

const mark = ({ sha512, executable }: BundleFile): string => `${executable ? 'x' : '-'}${sha512}`

const changedPaths = (before: readonly BundleFile[], after: readonly BundleFile[]): readonly string[] => {
  const old = new Map(before.map((file) => [file.path, mark(file)]))
  const current = new Map(after.map((file) => [file.path, mark(file)]))
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((path) => old.get(path) !== current.get(path))
    .toSorted()
}
