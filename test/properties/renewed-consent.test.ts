import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import { installIn, updateIn } from '../helpers/operations.ts'
import { fc } from '../helpers/property.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const NOBODY: ConsentPrompt = { assumeYes: false, confirm: null, disclose: () => undefined }

const HOOK = { event: 'Stop', script: 'hooks/run.sh' }
const CAPABILITIES: readonly Record<string, unknown>[] = [
  { hooks: [], skills: ['s'] },
  { skills: ['s'], hooks: [HOOK] },
  { hooks: [], mcpServers: { db: { command: 'sh', args: ['serve.md'] } } },
  { hooks: [], mcpServers: { db: { command: 'node', env: { NODE_OPTIONS: '--require=./lib/pre.cjs' } } } },
  { hooks: [], mcpServers: { net: { type: 'http', url: 'https://example.org/' } } },
]

const FILES = {
  'README.md': 'one\ntwo\nthree\n',
  'serve.md': 'echo one\n',
  'notes.txt': 'one\n',
  'data.json': '{}\n',
  'lib/pre.cjs': 'module.exports = 1\n',
  'skills/s/SKILL.md': '# s\n\nDo it.\n',
  'skills/s/run.py': 'print(1)\n',
  'skills/s/tool': '#!/bin/sh\necho\n',
} as const
const PATHS = [...Object.keys(FILES), 'hooks/run.sh', 'capability.json']

type Change =
  | { readonly kind: 'byte'; readonly path: string; readonly at: number; readonly byte: number }
  | { readonly kind: 'mode'; readonly path: string }
  | { readonly kind: 'name'; readonly path: string; readonly to: string }
  | { readonly kind: 'removal'; readonly path: string }

const path = fc.constantFrom(...PATHS)
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('byte' as const),
      path,
      at: fc.nat({ max: 400 }),
      byte: fc.integer({ min: 32, max: 126 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mode' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('name' as const),
      path,
      to: fc.constantFrom('other.md', 'other.sh', 'skills/s/other.txt', 'other'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removal' as const), path }) },
)

const apply = (dir: string, each: Change): void => {
  const file = join(dir, each.path)
  if (each.kind === 'mode') return chmodSync(file, 0o755)
  if (each.kind === 'name') return renameSync(file, join(dir, each.to))
  if (each.kind === 'removal') return rmSync(file)
  const bytes = readFileSync(file)
  bytes[each.at % bytes.length] = each.byte
  writeFileSync(file, bytes)
}

/** Prose by the rule as the documentation states it, for these capabilities. */
const isProse = (manifest: Record<string, unknown>, name: string): boolean =>
  /\.(?:md|txt)$/.test(name) && !(name === 'serve.md' && JSON.stringify(manifest).includes('serve.md'))

const listed = (reports: readonly Report[]): string =>
  reports
    .map((report) =>
      report.kind === 'warning' && report.diagnostic.code === 'CONSENT_PROSE' ? report.diagnostic.message : '',
    )
    .join('\n')

test.each(['global', 'project'] as const)(
  'any change of a capability is listed prose, or consent is asked (%s)',
  async (scope) => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: CAPABILITIES.length - 1 }), change, async (which, each) => {
        rmSync(scratch.path('home'), { recursive: true, force: true })
        rmSync(scratch.path('project/.gsd'), { recursive: true, force: true })
        scratch.put('home/.keep', '')
        const manifest = CAPABILITIES[which] ?? {}
        const bundle = scratch.bundle('guard', { manifest, files: FILES })
        await installIn(scratch.testContext().context, bundle, { scope })
        apply(bundle, each)
        const world = scratch.testContext()
        try {
          const { updated, unchanged } = await updateIn(world.context, 'guard', { scope, consentPrompt: NOBODY })
          if (unchanged.length > 0) return
          expect(updated).toHaveLength(1)
          const paths = [each.path, ...(each.kind === 'name' ? [each.to] : [])]
          for (const name of paths) {
            expect(listed(world.reports)).toContain(JSON.stringify(name))
            if (name !== 'capability.json') expect(isProse(manifest, name)).toBe(true)
          }
          expect(each.kind).not.toBe('mode')
        } catch (error) {
          // A change that makes the bundle invalid is refused for that.
          if (!(error instanceof GsdError)) throw error
        }
      }),
      { numRuns: 60 },
    )
  },
  120_000,
)
