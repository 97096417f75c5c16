import { appendFileSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import type { Disclosure } from '../../src/trust/disclosure.ts'
import { grantIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

/** A user who says yes, while `meanwhile` happens. */
const asking = (meanwhile: () => void, seen: Disclosure[] = []): ConsentPrompt => ({
  assumeYes: false,
  disclose: (disclosures) => void seen.push(...disclosures),
  confirm: () => {
    meanwhile()
    return Promise.resolve(true)
  },
})

/** The one bundle that is staged below the cache. */
const stagedFile = (name: string): string => {
  const below = join(scratch.root, 'cache')
  const found = readdirSync(below, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(name))
  if (found === undefined) throw new Error(`no ${name} below the cache`)
  return join(below, found)
}

test('a source that changes while the user reads is installed as it was disclosed', async () => {
  const bundle = scratch.bundle('guard')
  const script = scratch.text('bundles/guard/hooks/run.sh')
  const seen: Disclosure[] = []
  const change = (): void => writeFileSync(join(bundle, 'hooks/run.sh'), '#!/bin/sh\nevil\n')
  const { installed } = await scratch.install(bundle, { consentPrompt: asking(change, seen) })
  expect(scratch.text('home/.gsd/capabilities/guard/hooks/run.sh')).toBe(script)
  expect(installed).toMatchObject([{ digest: seen[0]?.digest }])
})

test.each([
  ['changed', (script: string) => appendFileSync(script, 'evil\n')],
  ['taken away', (script: string) => unlinkSync(script)],
  ['joined by another file', (script: string) => writeFileSync(join(script, '../lib.sh'), 'evil')],
  [
    'turned into a link',
    (script: string) => {
      unlinkSync(script)
      symlinkSync('/bin/sh', script)
    },
  ],
  [
    'swapped with its whole folder',
    (script: string) => {
      rmSync(join(script, '..'), { recursive: true })
      renameSync(scratch.path('evil'), join(script, '..'))
    },
  ],
])('unpacked bytes that are %s in the cache while the user reads are not installed', async (_what, tamper) => {
  const bundle = scratch.bundle('guard')
  scratch.put('evil/run.sh', '#!/bin/sh\nevil\n', 0o755)
  scratch.put('home/.claude/settings.json', '{}\n')
  const consentPrompt = asking(() => tamper(stagedFile('hooks/run.sh')))
  await expect(scratch.install(bundle, { consentPrompt, runtimes: ['claude'] })).rejects.toMatchObject({
    code: 'STATE_CHANGED',
    exitStatus: 4,
  })
  expect(scratch.tree().filter((line) => line.includes('home/.gsd') && line.includes('guard'))).toEqual([])
  expect(scratch.text('home/.claude/settings.json')).toBe('{}\n')
})

test('an installed bundle that changes while the user reads is not trusted', async () => {
  const dir = scratch.bundle('guard', { to: 'project/.gsd/capabilities/guard' })
  const consentPrompt = asking(() => appendFileSync(join(dir, 'hooks/run.sh'), 'evil\n'))
  await expect(grantIn(scratch.testContext().context, 'guard', { consentPrompt })).rejects.toMatchObject({
    code: 'STATE_CHANGED',
  })
  expect((await scratch.list()).rows.find(({ id }) => id === 'guard')).toMatchObject({ status: 'inactive' })
})
