import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RUNTIMES } from '../../../src/host/runtimes/built-in-runtimes.ts'
import { describeRuntime } from '../../../src/host/runtimes/described-runtime.ts'
import { HOST_FACTS } from '../../../src/host/runtimes/host-facts.ts'
import type { RuntimeManifest } from '../../../src/manifest/manifest.ts'
import { ROOT } from '../../helpers/doc-page.ts'

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

it('every fact of a built-in host equals the one in fixtures/host/runtimes.json, in that order', () => {
  expect(RUNTIMES).toEqual(readJson('fixtures/host/runtimes.json'))
  expect(RUNTIMES.map(({ id }) => id)).toEqual(Object.keys(HOST_FACTS))
})

it('a host differs from its manifest only if the table lists it', () => {
  const differing = RUNTIMES.flatMap((runtime) => {
    const described = describeRuntime(readJson(`capabilities/${runtime.id}/capability.json`) as RuntimeManifest)
    return (Object.keys(described) as (keyof typeof described)[])
      .filter((member) => JSON.stringify(described[member]) !== JSON.stringify(runtime[member]))
      .map((member) => `${runtime.id} ${member}`)
  })
  expect(differing).toEqual([
    'antigravity surface',
    'antigravity files',
    'augment files',
    'hermes surface',
    'hermes files',
    'codebuddy files',
    'cline files',
    'kimi files',
  ])
})
