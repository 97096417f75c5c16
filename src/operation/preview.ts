import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { disclosureOf } from '../trust/disclosure.ts'
import { listOf, type Details } from './details.ts'
import { prepare } from './prepare.ts'
import { placesOf } from './scope-places.ts'
import { withStaging } from './staging.ts'

/** What a spec would install, found out below the cache. @throws what `prepare` throws */
export const previewInstall = (
  context: Context,
  text: string,
  scope: ScopeName,
): Promise<{ readonly details: readonly Details[]; readonly warnings: readonly Diagnostic[] }> => {
  const places = placesOf(context, scope)
  return withStaging(context, async ({ dir }) => {
    const {
      manifest,
      staged,
      recorded: spec,
      digest,
      hidden,
      warnings,
    } = await prepare(context, {
      text,
      places,
      into: join(dir, '0'),
      integrity: null,
      allowHttp: false,
    })
    const disclosure = disclosureOf({ manifest, files: staged.files, scope, spec, digest, edits: [], hidden })
    return { details: [{ ...disclosure, entry: null, fileList: listOf(staged.files) }], warnings }
  })
}
