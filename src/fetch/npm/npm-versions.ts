import satisfies from 'semver/functions/satisfies.js'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { formatSpec } from '../../spec/format-spec.ts'
import type { NpmSpec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetcher.ts'
import { refuseOffline } from '../offline.ts'
import { npmError, versionsHint } from './npm-error.ts'
import { findPackument, parsePackument, sortedVersions, type Packument } from './packument.ts'
import { withNpm } from './run-npm.ts'

/** All versions of a package, newest first. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const listNpmVersions = async (spec: NpmSpec, context: FetchContext): Promise<readonly string[]> =>
  sortedVersions(await requestPackage(spec, context))

/**
 * The version that npm would select now for a tag or range, and the newest one, which is tagged `latest`.
 * @throws GsdError FETCH_*, POLICY_*, INTERRUPTED
 */
export const npmVersionsNow = async (
  spec: NpmSpec,
  context: FetchContext,
): Promise<{ readonly version: string; readonly newest: string | null }> => {
  const packument = await requestPackage(spec, context)
  const version = pickVersion(packument, spec.selector)
  if (version !== null) return { version, newest: packument.tags.get('latest') ?? null }
  throw new GsdError('FETCH_NO_VERSION', `${quote(formatSpec(spec))} matches no version in the registry`, {
    hint: versionsHint(packument),
  })
}

/** As npm does: for a range the version tagged `latest` if it matches, else the newest that is not deprecated. */
const pickVersion = (packument: Packument, selector: NpmSpec['selector']): string | null => {
  const latest = packument.tags.get('latest') ?? null
  if (selector === null) return latest
  if (selector.kind === 'version') return packument.versions.has(selector.text) ? selector.text : null
  if (selector.kind === 'tag') return packument.tags.get(selector.text) ?? null
  if (latest !== null && satisfies(latest, selector.text)) return latest
  const fitting = sortedVersions(packument).filter((version) => satisfies(version, selector.text))
  return fitting.find((version) => packument.versions.get(version)?.deprecated == null) ?? fitting[0] ?? null
}

/** The versions and tags of a package. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
const requestPackage = async (spec: NpmSpec, context: FetchContext): Promise<Packument> => {
  const { name } = spec
  const { disk, viaCatalog } = context
  context.checkPolicy?.({ kind: 'npm', name, catalog: viaCatalog })
  refuseOffline(context, formatSpec(spec), 'listing versions needs the network: run it without --offline')
  return withNpm(context, name, async (npm) => {
    const ran = await npm.run(['view'], [name, 'dist-tags', 'versions'])
    if (ran.status !== 0) throw npmError(ran, formatSpec(spec), null)
    return findPackument(disk, npm.dir, name) ?? parseView(ran.stdout, name)
  })
}

/** `npm view <name> dist-tags versions --json`; a single version is a string instead of a list. */
const parseView = (stdout: Buffer, name: string): Packument => {
  const answer = JSON.parse(stdout.toString('utf8')) as { readonly versions?: unknown; readonly 'dist-tags'?: unknown }
  const versions = [answer.versions ?? []].flat().filter((version) => typeof version === 'string')
  const packument = parsePackument(
    { name, 'dist-tags': answer['dist-tags'], versions: Object.fromEntries(versions.map((version) => [version, {}])) },
    name,
  )
  return packument ?? { tags: new Map(), versions: new Map() }
}
