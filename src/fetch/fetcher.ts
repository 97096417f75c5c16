import type { BundleSource } from '../bundle/bundle.ts'
import type { Report } from '../context.ts'
import type { Disk } from '../platform/disk.ts'
import type { Spec, SpecKind } from '../spec/spec.ts'
import type { Contact } from '../state/config/policy.ts'
import type { AuthSource } from '../state/config/user-config.ts'
import type { Resolved } from '../state/ledger.ts'
import type { CatalogHashes } from './catalog/catalog-hashes.ts'
import type { LoadedCatalog } from './catalog/catalog.ts'

/** What a fetch may use. */
export interface FetchContext {
  readonly disk: Disk
  /** The user's home. */
  readonly home: string
  /** Real paths of the `.gsd` folders that are about to change; they need not exist yet. */
  readonly scopeRoots: readonly string[]
  readonly signal: AbortSignal
  /** The user's environment: proxies, what git and npm read, variables that hold a secret for a host. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The cache folder; the only one that is written to. */
  readonly cache: string
  /** No network access: pinned and cached sources are used, all others refused. */
  readonly offline: boolean
  /** Milliseconds that one download may take in all. */
  readonly fetchTimeout: number
  /** `--allow-http`: plain http to this machine is allowed. */
  readonly allowHttp: boolean
  /** Checks every host before it is contacted, redirects too. Null: no policy. */
  readonly checkPolicy: PolicyCheck | null
  /** The remote part of the user's configuration; read on first use. */
  readonly config: () => RemoteConfig
  readonly report: (report: Report) => void
  /** Canonical integrity that the artifact must have, where it is known before the fetch; else null. */
  readonly expectedIntegrity: string | null
  /** Name of the catalog that led here, or null. */
  readonly viaCatalog: string | null
  /** Commit that a ledger pins a catalog's repository to; null: the catalog decides. */
  readonly pinnedCommit: string | null
  /** Which copies of catalogs in the cache are as they were received. */
  readonly catalogHashes: CatalogHashes
  /** Catalogs that this command has loaded, by name. */
  readonly loadedCatalogs: Map<string, Promise<LoadedCatalog>>
}

/** Throws a GsdError POLICY_* to refuse. */
export type PolicyCheck = (contact: Contact) => void

/** What `~/.gsd/config.json` says about sources. */
export interface RemoteConfig {
  /** Host in lower case, with or without a port → what to send it. */
  readonly auth: ReadonlyMap<string, AuthSource>
  /** Name → url or path. */
  readonly catalogs: ReadonlyMap<string, string>
  /** Folder that relative catalog paths are resolved against. */
  readonly folder: string
}

/** Where the content of a source is, and what the source states about it. */
export interface FetchResult {
  readonly source: BundleSource
  /** Subfolder of the source that holds the bundle, with `/`; null where the spec names none. */
  readonly path: string | null
  /** For the ledger: no absolute path in it. */
  readonly resolved: Resolved
  /** Integrities that the source states; all of them must match. */
  readonly statedIntegrities: readonly { readonly value: string; readonly statedBy: string }[]
  /** Sentences for the user. */
  readonly notes: readonly string[]
  /**
   * Something that is remembered in the cache chose this content: offline a catalog, a tag or a version. Only the ledger, or
   * an integrity that the user states, confirms it.
   */
  readonly isRemembered?: true
  /** What the bundle must be according to a catalog. */
  readonly catalogExpectation?: CatalogExpectation
}

/** What a catalog states about a bundle; a difference refuses it. */
export interface CatalogExpectation {
  /** In messages: `the catalog "team"`. */
  readonly from: string
  readonly id: string
  readonly version: string
  /** Range of host versions; null where it states none. */
  readonly engines: string | null
  /** Digest of the bundle, where the source has no artifact; null where it states none. */
  readonly digest: string | null
}

/** Fetches one kind of source. */
export type Fetcher<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  context: FetchContext,
) => Promise<FetchResult>
