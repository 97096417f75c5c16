import compare from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import { formatSpec } from '../../spec/format-spec.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { CatalogSpec, Spec } from '../../spec/spec.ts'
import type { FetchContext, FetchResult } from '../fetcher.ts'
import { refuseOffline } from '../offline.ts'
import type { LoadedCatalog, CatalogCapability, CatalogVersion } from './catalog.ts'
import { loadCatalog } from './load-catalog.ts'

/** One version that a catalog offers. */
export interface CatalogOffer extends CatalogVersion {
  readonly version: string
}

/**
 * Fetches a capability of a catalog: choose the version, then fetch its source. What the catalog states about integrity, id,
 * version and engines must hold, and policy applies to the source as if the user had named it.
 * @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_CATALOG, FETCH_NO_VERSION and what the fetch throws
 */
export const fetchCatalog = async (
  spec: CatalogSpec,
  context: FetchContext,
  fetch: (spec: Spec, context: FetchContext) => Promise<FetchResult>,
): Promise<FetchResult> => {
  const loaded = await loadCatalog(spec.catalog, context)
  const choice = chooseVersion(spec, capabilityOf(spec, loaded))
  const inner = withPinnedCommit(offeredSpec(spec, choice, loaded, context), context)
  const from = `the catalog ${quote(spec.catalog)}`
  const isArchive = inner.kind === 'tarball' || inner.kind === 'npm'
  const fetched = await fetch(inner, {
    ...context,
    viaCatalog: spec.catalog,
    expectedIntegrity: isArchive ? (choice.integrity ?? context.expectedIntegrity) : null,
  })
  const { url, commit, tag, path } = fetched.resolved
  const isConfirmed = isArchive && context.expectedIntegrity !== null
  const isRemembered = fetched.isRemembered === true || (context.offline && loaded.folder === null)
  return {
    ...fetched,
    ...(isRemembered && !isConfirmed ? { isRemembered } : {}),
    resolved: {
      kind: 'catalog',
      version: choice.version,
      ...(url === undefined ? {} : { url }),
      ...(commit === undefined ? {} : { commit }),
      ...(tag === undefined ? {} : { tag }),
      ...(path === undefined ? {} : { path }),
    },
    statedIntegrities:
      isArchive && choice.integrity !== null
        ? [...fetched.statedIntegrities, { value: choice.integrity, statedBy: from }]
        : fetched.statedIntegrities,
    catalogExpectation: {
      from,
      id: spec.id,
      version: choice.version,
      engines: choice.engines,
      digest: isArchive ? null : choice.integrity,
    },
  }
}

/** All versions of a capability in a catalog, newest first. @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_* */
export const catalogVersions = async (spec: CatalogSpec, context: FetchContext): Promise<readonly CatalogOffer[]> =>
  offersOf(capabilityOf(spec, await loadCurrentCatalog(spec, context)))

/** The version that a spec selects now. @throws GsdError SPEC_UNKNOWN_CATALOG, FETCH_* */
export const newestCatalogVersion = async (spec: CatalogSpec, context: FetchContext): Promise<string> =>
  chooseVersion(spec, capabilityOf(spec, await loadCurrentCatalog(spec, context))).version

/** A remembered catalog says nothing about what is available. */
const loadCurrentCatalog = async (spec: CatalogSpec, context: FetchContext): Promise<LoadedCatalog> => {
  const loaded = await loadCatalog(spec.catalog, context)
  if (loaded.folder === null)
    refuseOffline(context, formatSpec(spec), 'listing versions needs the network: run it without --offline')
  return loaded
}

/** The newest stable version in the range; a prerelease only where nothing stable fits. @throws GsdError FETCH_NO_VERSION */
const chooseVersion = ({ id, range, catalog }: CatalogSpec, capability: CatalogCapability): CatalogOffer => {
  const choices = offersOf(capability)
  const fitting = choices.filter(
    ({ version }) => range === null || satisfies(version, range, { includePrerelease: true }),
  )
  const stable = fitting.find(
    ({ version }) => parse(version)?.prerelease.length === 0 && (range === null || satisfies(version, range)),
  )
  const chosen = stable ?? fitting[0]
  if (chosen !== undefined) return chosen
  const newest = choices.slice(0, 5).map(({ version }) => version)
  throw new GsdError(
    'FETCH_NO_VERSION',
    `the catalog ${quote(catalog)} has no ${quote(id)} in ${quote(range ?? '*')}`,
    {
      hint: newest.length === 0 ? 'the catalog lists no version of it' : `its newest: ${newest.join(', ')}`,
      details: { versions: newest },
    },
  )
}

const offersOf = ({ versions }: CatalogCapability): readonly CatalogOffer[] =>
  [...versions].map(([version, each]) => ({ version, ...each })).toSorted((a, b) => compare(b.version, a.version))

const capabilityOf = ({ id, catalog: name }: CatalogSpec, { catalog }: LoadedCatalog): CatalogCapability => {
  const capability = catalog.capabilities.get(id)
  if (capability !== undefined) return capability
  const nearest = nearestWord(id, [...catalog.capabilities.keys()])
  throw new GsdError('FETCH_NOT_FOUND', `the catalog ${quote(name)} has no capability ${quote(id)}`, {
    hint:
      nearest === null
        ? `its capabilities: ${[...catalog.capabilities.keys()].slice(0, 5).join(', ') || 'none'}`
        : `did you mean ${nearest}@${name}?`,
  })
}

/** The ledger pins the commit; the catalog only says where the repository is. */
const withPinnedCommit = (inner: Spec, { pinnedCommit }: FetchContext): Spec =>
  inner.kind === 'git' && pinnedCommit !== null ? { ...inner, ref: { kind: 'sha', sha: pinnedCommit } } : inner

/** Only a local catalog may name local paths, and none may name another catalog. */
const offeredSpec = (
  { id, catalog }: CatalogSpec,
  { spec: text, version }: CatalogOffer,
  { folder }: LoadedCatalog,
  { home, allowHttp }: FetchContext,
): Spec => {
  const refused = (what: string): GsdError =>
    new GsdError('FETCH_CATALOG', `the catalog ${quote(catalog)} cannot be used for ${quote(id)} ${version}: ${what}`, {
      hint: 'tell the maintainer of the catalog',
    })
  let inner
  try {
    inner = parseSpec(text, { cwd: folder ?? home, home, allowHttp })
  } catch (error) {
    throw error instanceof GsdError ? refused(error.message) : error
  }
  if (inner.kind === 'catalog') throw refused(`it names ${quote(text)}, another catalog`)
  const isLocal = inner.kind === 'local' || (inner.kind === 'tarball' && inner.at.kind === 'file')
  if (isLocal && folder === null) throw refused(`it names ${quote(text)}, a local path`)
  return inner
}
