import rsort from 'semver/functions/rsort.js'
import valid from 'semver/functions/valid.js'

import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { NpmSpec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetched.ts'
import { refuseOffline } from '../offline.ts'
import { npmFault } from './npm-fault.ts'
import { withNpm } from './run-npm.ts'

/** Every version of a package, newest first. @throws GsdError FETCH_*, POLICY_*, INTERRUPTED */
export const npmVersionsOf = async ({ name }: NpmSpec, context: FetchContext): Promise<readonly string[]> => {
  context.allow?.({ kind: 'npm', name, catalog: context.catalog })
  refuseOffline(context, `npm:${name}`, 'its versions can only be asked for without --offline')
  return withNpm(context, name, async (npm) => {
    const ran = await npm.run(['view', '--json'], [name, 'versions'])
    if (ran.status !== 0) throw npmFault(ran, `npm:${name}`, null)
    const versions = [parse(ran.stdout)].flat().filter((version): version is string => typeof version === 'string')
    if (versions.length === 0)
      throw new GsdError('FETCH_NPM', `npm names no version of ${quote(name)}`, {
        hint: `try it by hand: npm view ${name} versions`,
      })
    return rsort(versions.filter((version) => valid(version) === version))
  })
}

const parse = (stdout: Buffer): unknown => {
  try {
    return JSON.parse(stdout.toString('utf8'))
  } catch {
    return []
  }
}
