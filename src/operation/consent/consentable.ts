import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { Consentable } from '../../store/consent.ts'
import type { JsonObject } from '../../store/json-text.ts'
import { manifestCore } from '../../trust/manifest-core.ts'
import type { Surface } from '../../trust/surface.ts'
import { withoutSecrets } from '../../trust/without-secrets.ts'
import { laneHosts } from './lane-hosts.ts'

/** All that a record of consent holds of a capability. */
export const consentableOf = (
  context: Context,
  bundle: {
    readonly manifest: Manifest
    readonly digest: string
    readonly signature: string
    readonly surfaces: readonly Surface[]
    readonly files: readonly BundleFile[]
  },
): Consentable => ({
  ...bundle,
  // Surfaces hold nothing but JSON: they come out of a manifest.
  shown: bundle.surfaces.map((surface) => ({ ...withoutSecrets(surface) }) as unknown as JsonObject),
  core: manifestCore(bundle.manifest),
  hosts: laneHosts(context, bundle.manifest, bundle.surfaces),
})
