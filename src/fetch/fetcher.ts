import type { BundleSource } from '../bundle/bundle.ts'
import type { Report } from '../context.ts'
import type { Disk } from '../platform/disk.ts'
import type { Spec, SpecKind } from '../spec/spec.ts'
import type { Contact } from '../state/config/policy.ts'
import type { AuthSource } from '../state/config/user-config.ts'
import type { Resolved } from '../state/ledger.ts'
import type { LoadedCatalog } from './catalog/catalog.ts'

/** What a fetch may use of the world. */
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
  /** Asks nobody: what is pinned and cached is had, everything else is refused. */
  readonly offline: boolean
  /** `--allow-http`: plain http to this machine passes. */
  readonly allowHttp: boolean
  /** Judges everyone before they are contacted, redirects too; throws to refuse. Null: nothing is restricted. */
  readonly checkPolicy: PolicyCheck | null
  /** Catalogs and secrets of the user's own configuration; read when a source from outside needs them. */
  readonly config: () => RemoteConfig
  readonly report: (report: Report) => void
  /** The one integrity that the artifact must have, canonical, where somebody said so already; else null. */
  readonly expectedIntegrity: string | null
  /** Name of the catalog that led here, or null. */
  readonly viaCatalog: string | null
  /** The one commit that a repository has to be taken at, where a catalog leads to it; null: what the catalog says. */
  readonly pinnedCommit: string | null
  /** What this command brought of catalogs already, by name: each is asked for once. */
  readonly loadedCatalogs: Map<string, Promise<LoadedCatalog>>
}

/** Throws a GsdError for whom policy does not let in. */
export type PolicyCheck = (contact: Contact) => void

/** What `~/.gsd/config.json` says about sources. */
export interface RemoteConfig {
  /** Host, lower case, with a port or for all of them → what to send it. */
  readonly auth: ReadonlyMap<string, AuthSource>
  /** Name → url or path. */
  readonly catalogs: ReadonlyMap<string, string>
  /** Folder that relative paths of catalogs start from. */
  readonly folder: string
}

/** Where the bytes of a source are now, and what the source says of them. */
export interface FetchResult {
  readonly source: BundleSource
  /** Subfolder of the source that holds the bundle, with `/`; null where the spec names none. */
  readonly path: string | null
  /** For the ledger: no absolute path in it. */
  readonly resolved: Resolved
  /** Integrities that the source itself states, each with who states it; all of them must agree. */
  readonly statedIntegrities: readonly { readonly value: string; readonly statedBy: string }[]
  /** Worth saying to the user, as sentences. */
  readonly notes: readonly string[]
  /** What a catalog promises of the bundle, which has to keep it; absent where nobody does. */
  readonly catalogExpectation?: CatalogExpectation
}

/** A catalog can only narrow: whatever it says, the bundle must fit too. */
export interface CatalogExpectation {
  /** As it stands in a message: `the catalog "team"`. */
  readonly from: string
  readonly id: string
  readonly version: string
  /** Range of host versions; null where it says nothing. */
  readonly engines: string | null
  /** Digest of the bundle, where the source has no artifact; null where it says nothing. */
  readonly digest: string | null
}

/** Brings one kind of source here. */
export type Fetcher<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  context: FetchContext,
) => Promise<FetchResult>
