import { describe, expect, it } from 'vitest'
import { validateCrossCapability } from '../../src/registry/validate-cross-capability.ts'

const runtime = (id: string, more: object = {}) => ({
  id,
  role: 'runtime',
  version: '1.0.0',
  title: id,
  tier: 'full',
  requires: [],
  runtime: { hostBehaviors: { reviewerCli: true } },
  ...more,
})

const codes = (...manifests: readonly object[]) =>
  validateCrossCapability(manifests).map(({ code, path }) => `${code} ${path}`)

describe('a lane made by the deprecated switch', () => {
  it('reserves its id as slug and flag, which no other lane can have then', () => {
    const lane = { slug: 'pencil', flags: ['--pencil'], reviewsSection: 'Pens' }
    expect(codes({ ...runtime('own'), reviewer: lane }, runtime('pencil'))).toEqual([
      'REGISTRY_LANE_SLUG_COLLISION /runtime/hostBehaviors/reviewerCli',
      'REGISTRY_LANE_FLAG_COLLISION /runtime/hostBehaviors/reviewerCli',
    ])
  })

  it('does not exist next to a reviewer body', () => {
    const lane = { slug: 'pen', flags: ['--pen'], reviewsSection: 'Pen' }
    const other = { slug: 'pencil', flags: ['--pencil'], reviewsSection: 'pencil' }
    expect(codes(runtime('pencil', { reviewer: lane }), runtime('crayon', { reviewer: other }))).toEqual([])
  })
})
