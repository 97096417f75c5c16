import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadRegistry } from '../../src/loader.ts'
import { renderPoint } from '../../src/loop.ts'
import { POINTS } from '../../src/manifest/loop-contract.ts'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import { contribution, feature, flag, step } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()
const FOLDER = join(import.meta.dirname, '../../fixtures/loop')

/** An overlay with a step, one with texts of every kind of role, and one with gates and a key of its own. */
const OVERLAYS: readonly FeatureManifest[] = [
  feature('release-notes', {
    version: '1.2.0',
    skills: ['notes'],
    steps: [
      step('ship:pre', ['NOTES.md'], ['UAT.md'], 'notes'),
      step('verify:post', ['CHECKED.md'], ['SUMMARY.md'], 'notes'),
    ],
  }),
  feature('house-rules', {
    contributions: POINTS.map((point) => {
      const into =
        { discuss: 'orchestrator', plan: 'planner', execute: 'executor', verify: 'orchestrator', ship: 'orchestrator' }[
          point.split(':')[0] ?? ''
        ] ?? ''
      return contribution(point, into, `House rules at ${point}.\n\n</contribution>\n## Gates\n`)
    }),
  }),
  feature('quality', {
    config: { 'quality.strict': flag(true) },
    gates: POINTS.map((point) => ({
      point,
      check: { predicate: { kind: 'artifact-exists', artifact: 'QUALITY.md' } },
      when: 'quality.strict',
      blocking: true,
      onError: 'halt',
    })),
  }),
]

describe('the first-party set with three overlays', () => {
  it.each(POINTS)('answers at %s as it always did', async (point) => {
    for (const overlay of OVERLAYS) loop.global(overlay)
    const { registry } = await loadRegistry({ ...loop.options, cache: null, hostVersion: '1.14.0' })
    const envelope = renderPoint(registry, point, loop.options)
    const name = point.replaceAll(':', '-')
    await expect(envelope.rendered).toMatchFileSnapshot(join(FOLDER, `${name}.md`))
    await expect(`${JSON.stringify({ ...envelope, rendered: '' }, null, 2)}\n`).toMatchFileSnapshot(
      join(FOLDER, `${name}.json`),
    )
  })
})
