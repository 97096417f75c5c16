import type { FeatureManifest, Hook } from '../../src/manifest/manifest.ts'

/** A capability with these hooks and nothing else. */
export const capabilityWith = (
  id: string,
  hooks: readonly Hook[],
  rest: Partial<FeatureManifest> = {},
): FeatureManifest => ({
  id,
  role: 'feature',
  version: '1.0.0',
  title: 'Guard',
  description: 'Guards.',
  tier: 'full',
  requires: [],
  runtimeCompat: { supported: ['*'], unsupported: [] },
  skills: [],
  agents: [],
  config: {},
  steps: [],
  contributions: [],
  gates: [],
  hooks,
  ...rest,
})
