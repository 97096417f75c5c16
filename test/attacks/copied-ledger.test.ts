import { existsSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import type { Disclosure } from '../../src/trust/disclosure.ts'
import { doctorIn, fixIn, grantIn, installIn, revokeIn, setEnabledIn, syncIn, updateIn } from '../helpers/operations.ts'
import { consentPrompt, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const context = () => scratch.testContext().context

/** A hook, a server and a skill: everything that a host is given. */
const partsOf = (id: string) => ({
  manifest: { mcpServers: { [id]: { command: 'db' } }, skills: [id] },
  files: { [`skills/${id}/SKILL.md`]: `---\nname: ${id}\ndescription: Looks.\n---\nLook.\n` },
})

const answering = (yes: boolean) => {
  const shown: string[] = []
  const prompt: ConsentPrompt = {
    assumeYes: false,
    confirm: () => Promise.resolve(yes),
    disclose: (disclosures: readonly Disclosure[]) => shown.push(...disclosures.map(({ id }) => id)),
  }
  return { prompt, shown }
}

describe.each(['global', 'project'] as const)('in the %s scope a ledger that was copied here', (scope) => {
  const at = (path: string): string => scratch.path(scope === 'global' ? 'home' : 'project', path)
  const hostFiles = (): string[] =>
    scope === 'global'
      ? [at('.claude/settings.json'), at('.claude.json'), at('.claude/skills')]
      : [at('.claude/settings.local.json'), at('.mcp.json'), at('.claude/skills')]
  const isWired = (): boolean => hostFiles().some((file) => existsSync(file) && !/^\{\s*\}$/.test(readText(file)))
  const readText = (file: string): string => (file.endsWith('.json') ? readFileSync(file, 'utf8') : 'a folder')

  /** Only the ledger is here, as on a fresh machine. */
  const copied = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await installIn(context(), scratch.bundle(id, partsOf(id)), { scope, runtimes: ['claude'] })
    const ledger = readFileSync(at('.gsd/ledger.json'), 'utf8')
    for (const folder of ['home', 'project/.gsd', 'project/.claude', 'project/.mcp.json'])
      rmSync(scratch.path(folder), { recursive: true, force: true })
    scratch.put(`${scope === 'global' ? 'home' : 'project'}/.gsd/ledger.json`, ledger)
    scratch.put('home/.claude/.keep', '')
  }

  test.each([false, true])('is restored by sync off a terminal, and wires nothing (frozen: %s)', async (frozen) => {
    await copied('one', 'two')
    const answer = await syncIn(context(), { frozen })
    expect(answer.restored.map(({ id }) => id)).toEqual(['one', 'two'])
    expect(answer.notGranted).toEqual([
      { id: 'one', scope },
      { id: 'two', scope },
    ])
    expect(answer.refusal).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect(answer.wired).toEqual([])
    expect(isWired()).toBe(false)
    expect(existsSync(scratch.path('home/.gsd/grants.json'))).toBe(false)
    // A second run still asks, and the bundles are there by now.
    expect((await syncIn(context(), { frozen })).refusal).toMatchObject({ code: 'CONSENT_REQUIRED' })
    expect(isWired()).toBe(false)
  })

  test.each([false, true])('is wired by sync --yes after everything was disclosed (frozen: %s)', async (frozen) => {
    await copied('one', 'two')
    const shown: string[] = []
    const prompt = {
      ...consentPrompt(),
      disclose: (all: readonly Disclosure[]) => shown.push(...all.map(({ id }) => id)),
    }
    const answer = await syncIn(context(), { frozen, consentPrompt: prompt })
    expect(shown).toEqual(['one', 'two'])
    expect(answer).toMatchObject({ notGranted: [], refusal: null, granted: [{ id: 'one' }, { id: 'two' }] })
    expect(isWired()).toBe(true)
    const again = await syncIn(context(), { frozen })
    expect(again).toMatchObject({ refusal: null, wired: [], unchanged: ['one', 'two'] })
  })

  test.each([true, false])('is asked about once on a terminal, and wired where the answer is %s', async (yes) => {
    await copied('one', 'two')
    const { prompt, shown } = answering(yes)
    const answer = await syncIn(context(), { consentPrompt: prompt })
    expect(shown).toEqual(['one', 'two'])
    expect(answer.restored).toHaveLength(2)
    expect(isWired()).toBe(yes)
    expect(answer.refusal).toEqual(yes ? null : expect.objectContaining({ code: 'CONSENT_DECLINED', exitStatus: 3 }))
  })

  test('wires what was granted before, and not what was added to the ledger since', async () => {
    await copied('one', 'two')
    await syncIn(context())
    await grantIn(context(), 'one', { scope })
    await revokeIn(context(), 'one', { scope })
    expect(isWired()).toBe(false)
    await grantIn(context(), 'one', { scope })
    const answer = await syncIn(context())
    expect(answer.notGranted).toEqual([{ id: 'two', scope }])
    expect(readText(hostFiles()[0] ?? '')).not.toContain('capabilities/two')
  })

  test('wires nothing by enable, unless it is granted with it', async () => {
    await copied('one')
    await syncIn(context())
    await setEnabledIn(context(), 'disabled', 'one', { scope })
    const error = await scratch.refused(() => setEnabledIn(context(), 'enabled', 'one', { scope }))
    expect(error).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect(isWired()).toBe(false)
    await setEnabledIn(context(), 'enabled', 'one', { scope, consentPrompt: consentPrompt() })
    expect(isWired()).toBe(true)
    await setEnabledIn(context(), 'disabled', 'one', { scope })
    expect(isWired()).toBe(false)
    // What was granted stays so.
    await setEnabledIn(context(), 'enabled', 'one', { scope })
    expect(isWired()).toBe(true)
  })

  test('wires nothing by doctor --fix, which names the command that does', async () => {
    await copied('one')
    await fixIn(context())
    expect(isWired()).toBe(false)
    const { findings } = await doctorIn(context())
    expect(findings.map(({ hint = '' }) => hint).join('\n')).toContain(`trust grant one --scope ${scope}`)
  })

  test('wires nothing by an install of the same thing without consent', async () => {
    await copied('one')
    await syncIn(context())
    const installing = installIn(context(), scratch.path('bundles/one'), {
      scope,
      runtimes: ['claude'],
      consentPrompt: consentPrompt(false),
    })
    await expect(installing).rejects.toMatchObject({ code: 'CONSENT_REQUIRED' })
    expect(isWired()).toBe(false)
  })

  test('wires nothing by an update without consent', async () => {
    await copied('one')
    await syncIn(context())
    scratch.bundle('one', { ...partsOf('one'), manifest: { ...partsOf('one').manifest, title: 'Another' } })
    const updating = updateIn(context(), 'one', { scope, consentPrompt: consentPrompt(false) })
    await expect(updating).rejects.toMatchObject({ code: 'CONSENT_REQUIRED' })
    expect(isWired()).toBe(false)
  })

  test('with an empty list of hosts is asked about all the same', async () => {
    await copied('one')
    const ledger = at('.gsd/ledger.json')
    const text = readFileSync(ledger, 'utf8').replace(/"runtimes": \[[^\]]*\]/, '"runtimes": []')
    scratch.put(`${scope === 'global' ? 'home' : 'project'}/.gsd/ledger.json`, text)
    expect((await syncIn(context())).notGranted).toEqual([{ id: 'one', scope }])
  })
})

test('files that a global capability made in its own folder ask nothing again', async () => {
  await installIn(context(), scratch.bundle('one', partsOf('one')), { runtimes: ['claude'] })
  scratch.put('home/.gsd/capabilities/one/cache/data.json', '{}')
  rmSync(scratch.settings)
  const answer = await syncIn(context())
  expect(answer).toMatchObject({ refusal: null, notGranted: [] })
  expect(answer.wired.map(({ file }) => file)).toContain(scratch.settings)
  expect(existsSync(scratch.path('home/.gsd/capabilities/one/cache/data.json'))).toBe(true)
})
