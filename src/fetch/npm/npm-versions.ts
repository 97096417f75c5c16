import { formatSpec } from '../../spec/format-spec.ts'
import type { NpmSpec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetched.ts'
import { refuseOffline } from '../offline.ts'
import { npmFault } from './npm-fault.ts'
import { findPackument, parsePackument, sortedVersions, type Packument } from './packument.ts'
import { withNpm } from './run-npm.ts'

/** Every version of a package, newest first. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const npmVersionsOf = async (spec: NpmSpec, context: FetchContext): Promise<readonly string[]> =>
  sortedVersions(await viewPackage(spec, context))

/** What the registry says of a package: its versions and tags. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const viewPackage = async (spec: NpmSpec, context: FetchContext): Promise<Packument> => {
  const { name } = spec
  const { disk, catalog } = context
  context.allow?.({ kind: 'npm', name, catalog })
  refuseOffline(context, formatSpec(spec), 'its versions can only be asked for without --offline')
  return withNpm(context, name, async (npm) => {
    const ran = await npm.run(['view'], [name, 'dist-tags', 'versions'])
    if (ran.status !== 0) throw npmFault(ran, formatSpec(spec), null)
    return findPackument(disk, npm.dir, name) ?? parseView(ran.stdout, name)
  })
}

/** `npm view <name> dist-tags versions --json`; of one version npm makes a text instead of a list. */
const parseView = (stdout: Buffer, name: string): Packument => {
  const answer = JSON.parse(stdout.toString('utf8')) as { readonly versions?: unknown; readonly 'dist-tags'?: unknown }
  const versions = [answer.versions ?? []].flat().filter((version) => typeof version === 'string')
  const packument = parsePackument(
    { name, 'dist-tags': answer['dist-tags'], versions: Object.fromEntries(versions.map((version) => [version, {}])) },
    name,
  )
  return packument ?? { tags: new Map(), versions: new Map() }
}
