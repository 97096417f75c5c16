import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ConsentTarget } from '../../state/grants.ts'
import type { JsonObject } from '../../state/json-text.ts'
import { redactSurface } from '../redact-surface.ts'
import { manifestFingerprint } from '../signature.ts'
import type { Surface } from '../surface.ts'
import { resolveLaneHosts } from './lane-hosts.ts'

/** Everything about a capability that a consent record stores. */
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
  // Surfaces come from a manifest, so they are JSON.
  shown: bundle.surfaces.map((surface) => ({ ...redactSurface(surface) }) as unknown as JsonObject),
  core: manifestFingerprint(bundle.manifest),
  hosts: resolveLaneHosts(context, bundle.manifest, bundle.surfaces),
})
