import { describe, expect, it } from 'vitest'
import { readValid } from '../../scripts/fault-cases.ts'
import { checkManifest } from '../../src/manifest/check-manifest.ts'
import { laneOf } from '../../src/manifest/lane.ts'
import type { Manifest } from '../../src/manifest/manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'

const load = (name: string, change: (value: Record<string, unknown>) => void = () => undefined): Manifest => {
  const value = JSON.parse(readValid(name)) as Record<string, unknown>
  change(value)
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const { manifest, diagnostics } = checkManifest(parseManifest(bytes, { file: name }))
  if (manifest === null) throw new Error(JSON.stringify(diagnostics))
  return manifest
}

const withoutBody = (hostBehaviors: unknown) => (value: Record<string, unknown>) => {
  delete value['reviewer']
  Object.assign(value['runtime'] as object, { hostBehaviors })
}

describe('the lane of a capability', () => {
  it('is its reviewer body, and the deprecated switch adds nothing to it', () => {
    expect(laneOf(load('reviewer'))).toMatchObject({ slug: 'second_look' })
    expect(laneOf(load('runtime'))).toMatchObject({ slug: 'pencil', flags: ['--pencil', '--pen'] })
  })

  it('is named by the id when only the deprecated switch is set, and is a valid lane', () => {
    const lane = laneOf(load('runtime', withoutBody({ reviewerCli: true })))
    expect(lane).toMatchObject({ slug: 'pencil', flags: ['--pencil'], reviewsSection: 'Pencil' })
    expect(laneOf(load('reviewer', (value) => Object.assign(value, { reviewer: lane })))).toEqual(lane)
  })

  it.each([undefined, null, {}, [], 'reviewerCli', { reviewerCli: 'true' }, { reviewerCli: false }])(
    'does not exist for the open bag %j',
    (bag) => {
      expect(laneOf(load('runtime', withoutBody(bag)))).toBeNull()
    },
  )

  it('does not exist for a feature', () => {
    expect(laneOf(load('feature'))).toBeNull()
  })
})
