import { join } from 'node:path'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { checkManifest } from '../manifest/check.ts'
import { readManifest } from '../manifest/read.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { World } from '../overlay/world.ts'
import type { Candidate, Row } from '../registry/registry.ts'
import { grantKey, readConsent, type ConsentRecord } from '../store/consent.ts'
import type { Disk } from '../store/disk.ts'
import { readHosts } from '../store/hosts.ts'
import { isThere } from '../store/is-there.ts'
import { readLedger } from '../store/ledger.ts'
import { isCapabilityId } from '../store/names.ts'
import type { ScopePlaces } from '../store/places.ts'
import { disclosureOf } from '../trust/disclosure.ts'
import { listOf, type Details } from './info/details.ts'
import { recordedPolicy, type PolicyView } from './info/policy-view.ts'
import { previewInstall } from './info/preview.ts'
import { shownBefore } from './installed/let-in-before.ts'
import { unknownId } from './installed/not-installed.ts'
import { scanHidden } from './prepare/scan-hidden.ts'

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
 * Writes nothing but the cache. A text that can be an id is one, since no spec is a single word; anything else is a spec.
 * @throws STATE_NOT_INSTALLED, SPEC_*, FETCH_*, INTEGRITY_*, ARCHIVE_*, MANIFEST_INVALID, OVERLAY_INCOMPATIBLE
 */
export const info = async (context: Context, { asked, scope }: InfoRequest): Promise<InfoAnswer> => {
  const world = await loadWorld(context)
  if (!isCapabilityId(asked))
    return { asked: 'spec', rows: [], ...(await previewInstall(context, asked, scope ?? 'global')) }
  const rows = world.rows.filter((row) => row.id === asked && (scope === null || row.scope === scope))
  if (rows.length === 0)
    throw unknownId(asked, world.rows, `for a folder write ./${asked}; gsd capability list shows what there is`)
  return {
    asked: 'id',
    rows,
    policy: null,
    details: rows.flatMap((row) => installedDetails(context, world, row)),
    warnings: world.warnings.filter(({ id }) => id === asked || id === undefined),
  }
}

const installedDetails = (context: Context, { input }: World, row: Row): Details[] => {
  const places = scopesOf(context).find(({ scope }) => scope === row.scope)
  if (places !== undefined) return overlayDetails(context, places, row.id)
  const found = input.firstParty.find(({ manifest }) => manifest.id === row.id)
  return found === undefined ? [] : [firstPartyDetails(found)]
}

const firstPartyDetails = ({ manifest }: Candidate): Details => ({
  ...disclosureOf({ manifest, files: [], scope: 'global', spec: 'first-party', digest: '', edits: [] }),
  entry: null,
  policy: null,
  fileList: [],
})

/** Also of one that takes no part: what it would do is what is asked about before it is trusted. */
const overlayDetails = (context: Context, places: ScopePlaces, id: string): Details[] => {
  const found = bundleAt(context, places, id)
  if (found === null) return []
  const { dir, tree, manifest } = found
  const digest = bundleDigest(tree.files, tree.manifest)
  const agreed = consentFor(context, places, id)
  const ledger = readLedger(context.disk, places)
  const hosts = readHosts(context.disk, places)
  const entry = ledger.state === 'ok' ? (ledger.value.capabilities.get(id) ?? null) : null
  const files = hosts.state === 'ok' ? [...hosts.value.files] : []
  const disclosure = disclosureOf({
    manifest,
    files: tree.files,
    scope: places.scope,
    spec: entry?.spec ?? join('.gsd', 'capabilities', id),
    digest,
    hidden: scanHidden(context.disk, { dir, files: tree.files, manifest: tree.manifest }),
    before: agreed === null || agreed.digest === digest ? null : shownBefore(agreed),
    edits: files
      .filter(([, record]) => Object.hasOwn(record.entries, id))
      .map(([file, { runtime }]) => ({ runtime, file })),
  })
  const policy = entry === null ? null : recordedPolicy(context, entry.spec, places.realRoot)
  return [{ ...disclosure, entry, policy, fileList: listOf(tree.files) }]
}

const consentFor = ({ disk, user }: Context, places: ScopePlaces, id: string): ConsentRecord | null => {
  const consents = readConsent(disk, user)
  return consents.state === 'ok' ? (consents.value.grants.get(grantKey(places, id)) ?? null) : null
}

const bundleAt = ({ disk }: Context, { capabilities, trusted }: ScopePlaces, id: string) => {
  const place = join(capabilities, id)
  if (!isThere(disk, place)) return null
  const dir = trusted ? realOf(disk, place) : place
  const tree = hashTree(dir, disk)
  if (tree.manifest === null) return null
  const { manifest } = checkManifest(readManifest(tree.manifest, { file: join(dir, 'capability.json') }), {
    loading: true,
  })
  return manifest === null ? null : { dir, tree: { ...tree, manifest: tree.manifest }, manifest }
}

/** In a home a bundle's folder may be a link of the user's. */
const realOf = (disk: Disk, path: string): string => {
  try {
    return disk.realpathSync(path)
  } catch {
    return path
  }
}
