import { join } from 'node:path'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { World } from '../overlay/world.ts'
import type { Candidate, Row } from '../registry/registry.ts'
import { readHosts } from '../store/hosts.ts'
import { readLedger } from '../store/ledger.ts'
import { isCapabilityId } from '../store/names.ts'
import type { ScopePlaces } from '../store/places.ts'
import { disclosureOf } from '../trust/disclosure.ts'
import { listOf, type Details } from './details.ts'
import { previewInstall, type PolicyView } from './preview.ts'

/** What `capability info` says of one installed capability, or of what a spec would install. */
export interface InfoAnswer {
  /** An id: what is installed under it, in each scope. A spec: what it would install. */
  readonly asked: 'id' | 'spec'
  readonly rows: readonly Row[]
  readonly details: readonly Details[]
  /** What policy says of a spec, and the lists that were asked; null for something installed. */
  readonly policy: PolicyView | null
  readonly warnings: readonly Diagnostic[]
}

export interface InfoRequest {
  readonly asked: string
  /** Null: every scope. For a spec: null means the global one. */
  readonly scope: ScopeName | null
}

/**
 * Writes nothing but the cache. A text that is the id of something installed is taken for that; anything else is a spec.
 * @throws SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, MANIFEST_INVALID, OVERLAY_INCOMPATIBLE
 */
export const info = async (context: Context, { asked, scope }: InfoRequest): Promise<InfoAnswer> => {
  const world = await loadWorld(context)
  const rows = isCapabilityId(asked)
    ? world.rows.filter((row) => row.id === asked && (scope === null || row.scope === scope))
    : []
  if (rows.length === 0)
    return { asked: 'spec', rows: [], ...(await previewInstall(context, asked, scope ?? 'global')) }
  return {
    asked: 'id',
    rows,
    policy: null,
    details: rows.flatMap((row) => installedDetails(context, world, row)),
    warnings: world.warnings.filter(({ id }) => id === asked),
  }
}

const installedDetails = (context: Context, { input }: World, row: Row): Details[] => {
  const found = [...input.firstParty, ...input.overlays].find(
    ({ manifest, origin }) => manifest.id === row.id && origin === row.scope,
  )
  if (found === undefined) return []
  const places = scopesOf(context).find(({ scope }) => scope === row.scope)
  return [
    places === undefined || found.dir === null
      ? firstPartyDetails(found)
      : overlayDetails(context, places, found, found.dir),
  ]
}

const firstPartyDetails = ({ manifest }: Candidate): Details => ({
  ...disclosureOf({ manifest, files: [], scope: 'global', spec: 'first-party', digest: '', edits: [] }),
  entry: null,
  fileList: [],
})

const overlayDetails = (context: Context, places: ScopePlaces, { manifest }: Candidate, dir: string): Details => {
  const tree = hashTree(dir, context.disk)
  const ledger = readLedger(context.disk, places)
  const hosts = readHosts(context.disk, places)
  const entry = ledger.state === 'ok' ? (ledger.value.capabilities.get(manifest.id) ?? null) : null
  const files = hosts.state === 'ok' ? [...hosts.value.files] : []
  return {
    ...disclosureOf({
      manifest,
      files: tree.files,
      scope: places.scope,
      spec: entry?.spec ?? join('.gsd', 'capabilities', manifest.id),
      digest: bundleDigest(tree.files, tree.manifest),
      edits: files
        .filter(([, record]) => Object.hasOwn(record.entries, manifest.id))
        .map(([file, { runtime }]) => ({ runtime, file })),
    }),
    entry,
    fileList: listOf(tree.files),
  }
}
