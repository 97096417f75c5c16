import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { grantAll } from '../../src/operation/trust.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import { grantIn, installIn } from '../helpers/operations.ts'
import { consentPrompt, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const context = () => scratch.testContext().context

const asking = (prompt: Partial<ConsentPrompt>) => {
  const shown: string[][] = []
  const consent: ConsentPrompt = {
    ...consentPrompt(false),
    ...prompt,
    disclose: (all) => shown.push(all.map(({ id, scope }) => `${scope} ${id}`)),
  }
  const all = (scope: 'global' | 'project' | null = null) =>
    grantAll(context(), { scope, allowHidden: false, dryRun: false, consentPrompt: consent })
  return { shown, all }
}
const plant = (id: string, files: Record<string, string> = {}) =>
  scratch.bundle(id, { to: `project/.gsd/capabilities/${id}`, files })

const installed = async (): Promise<void> => {
  await installIn(context(), scratch.bundle('everywhere'), { runtimes: ['claude'] })
  await installIn(context(), scratch.bundle('here'), { scope: 'project', runtimes: ['claude'] })
  scratch.put('home/.gsd/grants.json', '{"schema":1,"grants":{}}\n', 0o600)
  plant('planted')
}

describe('trust grant --all', () => {
  test('discloses everything that is not granted, in every scope, and asks once', async () => {
    await installed()
    let questions = 0
    const confirm = () => Promise.resolve(++questions > 0)
    const { shown, all } = asking({ confirm })
    expect((await all()).changed.toSorted()).toEqual(['everywhere', 'here', 'planted'])
    expect(shown).toEqual([['project here', 'project planted', 'global everywhere']])
    expect(questions).toBe(1)
    expect((await asking({}).all()).changed).toEqual([])
  })

  test('without a terminal needs --yes, and writes nothing before', async () => {
    await installed()
    const error = await scratch.refused(() => asking({}).all())
    expect(error).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect((await asking({ assumeYes: true }).all('project')).changed).toEqual(['here', 'planted'])
  })

  test('leaves out what cannot be granted, with a warning', async () => {
    await installed()
    plant('broken', { 'capability.json': '{' })
    plant('hidden', { 'lib/a.js': 'let a\u200bb\n' })
    const { changed, warnings } = await asking({ assumeYes: true }).all()
    expect(changed.toSorted()).toEqual(['everywhere', 'here', 'planted'])
    expect(warnings.map(({ id, code }) => [id, code])).toEqual(
      expect.arrayContaining([
        ['broken', expect.any(String)],
        ['hidden', 'CONSENT_HIDDEN_TEXT'],
      ]),
    )
  })
})

describe.each(['global', 'project'] as const)('trust grant in the %s scope', (scope) => {
  const settings = (): string => (scope === 'global' ? scratch.settings : scratch.projectSettings)
  const ledger = scope === 'global' ? 'home/.gsd/ledger.json' : 'project/.gsd/ledger.json'

  test.each([
    ['that no registry knows', 'no-such-host', () => undefined],
    [
      'whose settings cannot be read',
      'codex',
      () => {
        for (const root of ['home', 'project']) scratch.put(`${root}/.codex/hooks.json`, '{"hooks": [')
      },
    ],
  ])('wires the other hosts of a ledger that names one %s, and says so', async (_what, host, spoil) => {
    await installIn(context(), scratch.bundle('one'), { scope, runtimes: ['claude'] })
    scratch.put(ledger, scratch.text(ledger).replace(/"claude"/, `"claude", "${host}"`))
    scratch.put('home/.gsd/grants.json', '{"schema":1,"grants":{}}\n', 0o600)
    scratch.put(settings().slice(scratch.root.length + 1), '{}\n')
    spoil()
    const { wired, warnings } = await grantIn(context(), 'one', { scope })
    expect(wired.map(({ runtime }) => runtime)).toContain('claude')
    expect(readFileSync(settings(), 'utf8')).toContain('capabilities/one')
    expect(warnings.map(({ message }) => message).join('\n')).toContain(`is not wired into ${host}`)
    expect(existsSync(scratch.path('home/.gsd/.journal.json'))).toBe(false)
  })
})
