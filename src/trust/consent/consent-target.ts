import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ConsentTarget } from '../../state/consent-store.ts'
import type { JsonObject } from '../../state/json-text.ts'
import { redactSurface } from '../redact-surface.ts'
import { manifestFingerprint } from '../signature.ts'
import type { Surface } from '../surface.ts'
import { resolveLaneHosts } from './lane-hosts.ts'

/** All that a record of consent holds of a capability. */
export const createConsentTarget = (
  context: Context,
  bundle: {
    readonly manifest: Manifest
    readonly digest: string
    readonly signature: string
    readonly surfaces: readonly Surface[]
    readonly files: readonly BundleFile[]
  },
): ConsentTarget => ({
  ...bundle,
  // Surfaces hold nothing but JSON: they come out of a manifest.
  shown: bundle.surfaces.map((surface) => ({ ...redactSurface(surface) }) as unknown as JsonObject),
  core: manifestFingerprint(bundle.manifest),
  hosts: resolveLaneHosts(context, bundle.manifest, bundle.surfaces),
})
